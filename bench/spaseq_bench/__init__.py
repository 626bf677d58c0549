"""The questions of SPAseq's evaluation (8), asked of denota's engine: data, queries, answers."""
