"""Relative IRIs (RFC 3986, section 5.2, as SPARQL 1.1 Query 4.1.1.2 asks)."""

from __future__ import annotations

import re

# RFC 3986, appendix B.
_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def resolve(reference: str, base: str | None) -> str:
    """5.2.2: the target of `reference` seen from `base`; without a base it stays as it is.

    >>> resolve("../g?x", "http://a/b/c/d;p?q")
    'http://a/b/g?x'
    """
    if base is None:
        return reference
    scheme, authority, path, query, fragment = _parts(reference)
    if scheme is not None:
        return reference
    base_scheme, base_authority, base_path, base_query, _ = _parts(base)
    if authority is None:
        authority = base_authority
        if path == "":
            path = base_path
            if query is None:
                query = base_query
        elif path.startswith("/"):
            path = remove_dot_segments(path)
        else:
            path = remove_dot_segments(_merge(path, base_path, base_authority))
    else:
        path = remove_dot_segments(path)
    return _recompose(base_scheme, authority, path, query, fragment)


def _parts(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(iri)
    assert match is not None  # every string matches
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path, query, fragment


def _merge(path: str, base_path: str, base_authority: str | None) -> str:
    """5.2.3"""
    if base_authority is not None and not base_path:
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path


def remove_dot_segments(path: str) -> str:
    """5.2.4"""
    kept: list[str] = []
    rest = path
    while rest:
        if rest.startswith("../"):
            rest = rest[3:]
        elif rest.startswith("./") or rest.startswith("/./"):
            rest = rest[2:]
        elif rest == "/.":
            rest = "/"
        elif rest.startswith("/../"):
            rest = rest[3:]
            del kept[-1:]
        elif rest == "/..":
            rest = "/"
            del kept[-1:]
        elif rest in (".", ".."):
            rest = ""
        else:
            end = rest.find("/", 1)
            end = len(rest) if end < 0 else end
            kept.append(rest[:end])
            rest = rest[end:]
    return "".join(kept)


def _recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """5.3"""
    return "".join((
        f"{scheme}:" if scheme is not None else "",
        f"//{authority}" if authority is not None else "",
        path,
        f"?{query}" if query is not None else "",
        f"#{fragment}" if fragment is not None else "",
    ))
