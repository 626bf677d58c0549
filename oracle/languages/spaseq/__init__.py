"""SPAseq, as the oracle sees it."""
