"""What strategies for queries of all languages are made of; `denota.strategies` is public."""

from ...cases import writing as writing  # a falsifying example shows itself as a case's file
