"""The building blocks of strategies for queries of all languages; `denota.strategies` is public."""

from ...cases import case_writer as case_writer  # a falsifying example is shown as a case file
