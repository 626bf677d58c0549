"""rsp-js, an RDF stream processor in JavaScript (npm)."""
