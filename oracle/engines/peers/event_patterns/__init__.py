"""SPAseq's sequences as patterns over single events, as engines without graphs are asked them."""
