"""The cell magic `%%denota`: a notebook's cell that is a query, on streams of the notebook."""

from __future__ import annotations

import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

from ....semantics.model.errors import DenotaError, QueryWarning
from ...api import AskedInputs
from ...cases.embedded_text import Text
from ...results.query_results import Results
from .. import OneLineParser, UsageError, os_error
from ..options import add_meaning, add_sources, arranged
from .input_streams import inputs_of, warn
from .option_values import given_times

SOURCE = "cell"
_DESCRIPTION = """\
Evaluate the query in the cell on streams, and show its results. SOURCE is a variable of the
notebook, such as a path, a DataFrame, an Arrow table or a list, or else a file. The options are
those of 'denota run'.
"""


def load_ipython_extension(ipython: Any) -> None:
    """Register the cell magic, as `%load_ext denota` does."""
    ipython.register_magic_function(
        lambda line, cell: _evaluated(ipython, line, cell), "cell", "denota"
    )


def _evaluated(ipython: Any, line: str, cell: str) -> Any:
    """Return the results of a cell; raise IPython's UsageError, which is shown as one line."""
    from IPython.core.error import UsageError as CellError

    try:
        return _results(ipython, line, cell)
    except SystemExit:  # --help
        return None
    except (UsageError, DenotaError) as error:
        message = str(error)
    except OSError as error:
        message = os_error(error)
    except RecursionError:
        message = "the query is nested too deeply"
    raise CellError(" ".join(message.split())) from None


def _parser() -> OneLineParser:
    parser = OneLineParser(prog="%%denota", description=_DESCRIPTION)
    add_meaning(parser)
    add_sources(parser, "SOURCE")
    parser.add_argument(
        "-o", "--output", metavar="VARIABLE", help="also assign the results to VARIABLE"
    )
    return parser


def _results(ipython: Any, line: str, cell: str) -> Results[Any]:
    try:
        words = shlex.split(line)
    except ValueError as error:  # a quotation mark is not closed
        raise UsageError(str(error).lower()) from None
    arguments = _parser().parse_args(arranged(words))
    if arguments.output is not None and not arguments.output.isidentifier():
        raise UsageError(f"-o: '{arguments.output}' is not the name of a variable")
    text = f"\n{cell}"  # errors count the lines of the cell, of which %%denota is the first
    arguments.query = SOURCE
    with Text(text, SOURCE).unplaced_errors_here(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", QueryWarning)
        asked = inputs_of(arguments, text, SOURCE)
        streams, graphs = (
            {iri: _value(ipython, source) for iri, source in given.items()}
            for given in (asked.files, asked.graphs)
        )
        inputs = AskedInputs(text, streams, graphs, asked.readings, None, asked.language.name)
        inputs.inputs["evaluation"], inputs.given_times = asked.evaluation, given_times(arguments)
        results: Results[Any] = Results(inputs)
        if not results.head() and inputs.read_again:
            print(results.stats.without_results(), file=sys.stderr)
    for each in caught:
        if isinstance(each.message, QueryWarning):
            warn(SOURCE, each.message.position, each.message.message)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if arguments.output is not None:
        ipython.push({arguments.output: results})
    return results


def _value(ipython: Any, source: str) -> Any:
    """Return the value of a variable of the notebook, or else the path of a file."""
    if source in ipython.user_ns:
        return ipython.user_ns[source]
    if not Path(source).exists():
        raise UsageError(f"'{source}' is neither a variable of the notebook nor a file")
    return Path(source)
