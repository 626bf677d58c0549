"""MkDocs hooks: navigation by index.md, linked files outside of docs/, the cases of the errata."""

from __future__ import annotations

import re
import runpy
from os.path import normpath
from pathlib import Path
from typing import Any

ERRATA = Path(__file__).resolve().parents[1] / "errata" / "pages.py"
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")


def navigation(docs: Path, index: str = "index.md") -> list[Any]:
    """Return MkDocs' `nav`: the pages in the rows and lists of an index, in sections by heading."""
    folder = index.removesuffix("index.md")
    nav: list[Any] = [index]
    for number, section in enumerate((docs / index).read_text(encoding="utf-8").split("\n## ")):
        rows = "\n".join(re.findall(r"^(?:\||\* \[).*", section, re.MULTILINE))
        pages = [
            {page.split("/")[0].title(): navigation(docs, page)} if "/index" in page else page
            for page in (folder + link for link in LINK.findall(rows)) if page.endswith(".md")
        ]
        nav += [{section.split("\n")[0]: pages}] if number and pages else pages
    return nav


def on_files(files: Any, config: Any) -> None:
    """Set the navigation; add the files outside of docs/ to which pages link."""
    from mkdocs.structure.files import File, InclusionLevel

    docs = Path(config.docs_dir)
    config.nav = navigation(docs)
    pages = [file.src_uri for file in files.documentation_pages()]
    for page in pages:  # grows: a page outside of docs/ has links, too
        for link in LINK.findall(within_docs((docs / page).read_text(encoding="utf-8"), page)):
            uri = normpath(Path(page).parent / link)
            if uri.startswith("../") and uri not in files.src_uris and (docs / uri).is_file():
                file = File.generated(
                    config, uri, abs_src_path=str(docs / uri), inclusion=InclusionLevel.NOT_IN_NAV
                )
                suffix = ".html" if file.is_documentation_page() else ".txt"
                file.dest_uri = f"repository/{uri.lstrip('./')}{suffix}"
                files.append(file)
                pages += [uri] * (suffix == ".html")


def within_docs(markdown: str, uri: str) -> str:
    """Return a page whose links into docs/ start there if the page lies outside."""
    return re.sub(r"\]\((?:\.\./)*docs/", "](/", markdown) if uri.startswith("../") else markdown


def rendered(markdown: str, uri: str) -> str:
    """Return a page as the site shows it, an erratum with its cases in full."""
    if uri.startswith("errata/"):
        return str(runpy.run_path(str(ERRATA))["with_cases"](markdown))
    return within_docs(markdown, uri)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    return rendered(markdown, page.file.src_uri)


def on_page_content(html: str, **_: Any) -> str:
    """Return a page without the backslash that a `|` in a table's code needs."""
    return re.sub(r"<td.*?</td>", lambda cell: cell[0].replace("\\|", "|"), html, flags=re.DOTALL)
