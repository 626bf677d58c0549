"""EP-SPARQL: what its queries mean (Anicic, Fodor, Rudolph and Stojanovic, WWW 2011)."""
