"""What engines recorded: queries, streams, answers and their terms."""
