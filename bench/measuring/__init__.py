"""What the measurements of memory have in common; each script of `bench/` is a program."""
