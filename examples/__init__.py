"""Real input: stock prices and weather observations as RDF streams, with queries on them.

`python -m denota.examples` runs the production engine on all of it and judges it by the oracle.
"""
