"""Reports of a judgement: on the terminal, as JUnit XML, HTML and EARL."""
