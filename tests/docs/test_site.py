"""The pages: links and anchors, the navigation, the site that `make docs` builds."""

from __future__ import annotations

import re
import runpy
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import denota

ROOT = Path(denota.__file__).resolve().parent
DOCS = ROOT / "docs"

if not (DOCS / "site" / "hooks.py").is_file():
    pytest.skip("docs/ is not part of an installed package", allow_module_level=True)


def test_the_navigation_names_each_page_once() -> None:
    navigation = runpy.run_path(str(DOCS / "site" / "hooks.py"))["navigation"]
    named = re.findall(r"'(\w[^']*\.md)'", str(navigation(DOCS)))
    assert sorted(named) == sorted(
        page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")
    )


def anchors(tokens: list[Token]) -> set[str]:
    """Return GitHub's anchors of the headings."""
    headings = (
        "".join(part.content for part in token.children or ())
        for before, token in pairwise(tokens)
        if before.type == "heading_open"
    )
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


def test_links_lead_to_files_and_headings() -> None:
    pages = [
        *DOCS.rglob("*.md"), *ROOT.glob("*.md"),
        *(path for folder in ("corpus", "examples", "semantics")
          for path in (ROOT / folder).rglob("*.md")),
    ]
    parse = MarkdownIt("commonmark").enable("table").parse
    tokens = {page: parse(page.read_text(encoding="utf-8")) for page in pages}
    broken, checked = [], 0
    for page in pages:
        for part in (part for token in tokens[page] for part in token.children or ()):
            link = str(part.attrs.get("href") or part.attrs.get("src") or "")
            path, _, anchor = link.partition("#")
            if link and not re.match("[a-z]+:", link):
                target = (page.parent / path).resolve() if path else page
                checked += 1
                headings = anchors(tokens.get(target, [])) if anchor else {anchor}
                if not target.exists() or anchor not in headings:
                    broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []
    assert checked > 1000


@pytest.mark.slow
def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    main = pytest.importorskip("mkdocs.__main__", reason="the extra 'docs' is not installed")
    pytest.importorskip("material", reason="the extra 'docs' is not installed")
    config = str(ROOT / "mkdocs.yml")
    main.cli(["build", "--strict", "-f", config, "-d", str(tmp_path)], standalone_mode=False)
    text = (tmp_path / "api.html").read_text(encoding="utf-8")
    missing = [
        name for module in (denota, denota.strategies) for name in module.__all__
        if f'id="{module.__name__}.{name}"' not in text
    ]
    assert missing == []
    assert (tmp_path / "repository" / "corpus" / "case.schema.json.txt").is_file()
