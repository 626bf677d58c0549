"""Files: where the bytes come from, which format they have, and what is wrong with them."""
