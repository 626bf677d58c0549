"""How a query looks."""


def looks_like(text: str) -> bool:
    return text.lstrip().startswith("HOLDING")
