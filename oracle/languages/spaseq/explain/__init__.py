"""Explanations of SPAseq matches: which definition and which events make one, or keep it away."""
