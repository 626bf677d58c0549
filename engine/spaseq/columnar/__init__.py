"""SPAseq by the batch: partial matches in arrays, which kernels run."""
