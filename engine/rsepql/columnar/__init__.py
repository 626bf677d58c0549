"""RSEP-QL over batches of columns: what evaluations a batch makes certain, and their answers."""





