"""What `bench/rdf.py` measures: a module a section, each with streams of its own."""
