"""The papers' and other engines' claims, judged: answers, opinions, relations, W3C."""
