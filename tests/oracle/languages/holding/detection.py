"""Detection of the language."""


def is_query(text: str) -> bool:
    return text.lstrip().startswith("HOLDING")
