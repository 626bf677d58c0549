"""All SPAseq cases up to a size, one of each isomorphism class, the smallest first."""
