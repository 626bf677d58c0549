"""RDF items by the batch: integers and columns from the door to the match."""
