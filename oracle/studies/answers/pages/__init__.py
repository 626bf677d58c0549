"""What was judged, in words: listings, on a terminal, in HTML and on the docs' page."""
