"""The style and head of denota's HTML pages: each is one file, also for phones and dark mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ...explanations.svg import STYLE as TIMELINES

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5f6b76; --line: #d9dee3; --ground: #fff;
  --card: #f6f8fa; --pass: #1a7f4b; --fail: #c0322b; --warn: #9a6700; --link: #0b5fa5;
  --missing: #fff3d6; --unexpected: #fbe4f4; --duplicate: #dff2f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #9aa5b0; --line: #353c44;
  --ground: #14181c; --card: #1c2228; --pass: #4cc38a; --fail: #ff7b72; --warn: #e3b341;
  --link: #58a6ff; --missing: #3b2f10; --unexpected: #3a1d33; --duplicate: #12323a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { overflow-wrap: break-word; margin: 0 auto;
  max-width: 72rem; padding: 2.5rem 1.5rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.who { color: var(--soft); margin: .2rem 0 1.4rem; }
.counts { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 0 0 1rem; padding: 0;
  list-style: none; }
.counts b { display: block; font-size: 1.7rem; line-height: 1.2; }
.bar { display: flex; height: .5rem; border-radius: .25rem; overflow: hidden;
  background: var(--line); }
.bar i { display: block; min-width: 3px; }
.pass { color: var(--pass); } .fail, .crash, .timeout { color: var(--fail); }
.unsupported { color: var(--soft); } .explained { color: var(--warn); }
.fault { color: var(--fail); }
.bar .pass { background: var(--pass); } .bar .unsupported { background: var(--line); }
.bar .explained { background: var(--warn); } .bar .fault { background: var(--fail); opacity: .6; }
.bar .fail, .bar .crash, .bar .timeout { background: var(--fail); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.2rem;
  margin: 0 0 1rem; }
article h3 { font-size: 1rem; margin: 0; }
article h3 small { font-weight: 700; text-transform: uppercase; letter-spacing: .04em;
  font-size: .72rem; margin-right: .6rem; }
.place { color: var(--soft); font: .82rem ui-monospace, monospace; margin: .1rem 0 .7rem;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; }
th, td { text-align: left; padding: .25rem .9rem .25rem .5rem; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
.rows td { font-family: ui-monospace, monospace; font-size: .84rem; white-space: nowrap; }
.rows td:first-child { font-family: inherit; font-weight: 600; }
tr.missing td { background: var(--missing); } tr.unexpected td { background: var(--unexpected); }
tr.duplicate td { background: var(--duplicate); }
pre { background: var(--card); padding: .7rem .9rem; border-radius: .4rem; white-space: pre-wrap;
  overflow-wrap: anywhere;
  font: .84rem/1.45 ui-monospace, monospace; margin: .4rem 0 .8rem; }
details { margin-top: .6rem; } summary { cursor: pointer; color: var(--soft); }
.all { width: 100%; } .all td { border-bottom: 1px solid var(--line); }
.all td:last-child { color: var(--soft); font: .82rem ui-monospace, monospace;
  overflow-wrap: anywhere; }
.why { margin: .9rem 0 0; padding: 0 0 0 .8rem; border-left: 3px solid var(--line); }
.why h4 { font-size: .92rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
.prose { background: var(--card); padding: .6rem .9rem; border-radius: .4rem; margin: .4rem 0 .6rem;
  font: .84rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.prose p { margin: 0; text-indent: -2ch; }
.why .scroll { margin: .4rem 0; }
article > details > summary { color: inherit; list-style-position: inside; }
article > details > summary h3 { display: inline; overflow-wrap: anywhere; }
article > details { margin: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
  gap: 0 1rem; } .pair p { margin: .4rem 0 0; }
.command { user-select: all; white-space: pre-wrap; overflow-wrap: anywhere; }
.levels td, .levels th { border-bottom: 1px solid var(--line); white-space: nowrap; }
.levels .first td { border-top: 2px solid var(--line); }
.levels td:first-child { color: var(--soft); }
.overview { width: 100%; } .overview td { border-bottom: 1px solid var(--line); }
.overview td:nth-child(n+3), .overview th:nth-child(n+3) { text-align: right; }
.overview td, .overview th, .compared td { white-space: nowrap; }
.compared { width: 100%; margin-bottom: 1.6rem; } .compared code { font-size: .74rem; }
.compared tr:nth-child(2n) td { border-bottom: 1px solid var(--line); }
.note { color: var(--soft); font-size: .88rem; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
section { border-top: 1px solid var(--line); margin-top: 2.4rem; }
section .who { margin: 0 0 .6rem; } section h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
.groups { columns: 30rem 2; column-gap: 2rem; margin-top: 1.2rem; }
.groups table { width: 100%; break-inside: avoid; margin-bottom: 1rem; }
.groups tr { break-inside: avoid; } .groups thead { break-after: avoid; }
.groups td, .faults td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.groups td:last-child { text-align: right; padding-right: 0; white-space: nowrap; }
.faults { width: 100%; } .faults td:first-child { font-weight: 600; }
.faults td:not(:last-child) { white-space: nowrap; } .faults td:last-child { width: 100%; }
.faults details { margin: 0; } .faults .place { margin: .1rem 0; }
.untested { color: var(--soft); }
code { font: .88em ui-monospace, monospace; }
.decides { margin: .8rem 0 0; } .decides b { font-weight: 600; }
"""


_SMALL = """
@media (max-width: 44rem) { .faults td { display: block; width: auto !important; border: 0; }
  .groups td:last-child { white-space: normal; } }
@media (max-width: 36rem) { body { padding: 1.2rem .9rem; } article { padding: .8rem; }
  .levels td { white-space: normal; padding-right: .4rem; } }
"""


def page_head(
    title: str, heading: str, who: str, counts: Sequence[tuple[str, int, str]]
) -> Iterator[str]:
    """Yield the beginning of a page, up to the `counts`: each a CSS class, a number and a word."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{STYLE}{TIMELINES}{_SMALL}</style></head><body>"
    yield f"<h1>{escape(heading)}</h1>"
    yield f'<p class="who">{escape(who)}</p>'
    if not counts:
        return
    yield '<ul class="counts">'
    for style, count, word in counts:
        yield f'<li class="{style}"><b>{count:,}</b>{word}</li>'
    yield "</ul>"
    yield bar([(style, count) for style, count, _ in counts])


def bar(counts: Sequence[tuple[str, int]]) -> str:
    """Return a bar whose parts are as long as the counts are large."""
    parts = "".join(f'<i class="{style}" style="flex:{count}"></i>' for style, count in counts)
    return f'<div class="bar">{parts}</div>'
