"""Reports of a result: on the terminal, as JUnit XML, HTML and EARL."""
