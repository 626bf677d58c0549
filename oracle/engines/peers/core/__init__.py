"""CORE, the engine of the paper that CEQL comes from (PyPI: pycer; CPython 3.13 on x86-64).

It runs in a process of its own, under an interpreter that has pycer: the one that
DENOTA_CORE_PYTHON names, this one, or the first python3.13 on the PATH.
"""
