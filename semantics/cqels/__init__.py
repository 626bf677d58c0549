"""CQELS-CEP (Dao-Tran and Le-Phuoc): grammar, tree, readings and denotation."""
