"""SPAseq (Gillani, Zimmermann, Picard, Laforest): grammar, tree, readings and denotation."""
