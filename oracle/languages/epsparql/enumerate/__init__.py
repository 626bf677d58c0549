"""All EP-SPARQL cases up to a size, over one of the language's alphabets."""

from ...enumeration import ByAlphabet
from ..alphabets import ANSWERS, BACKGROUND, DURATIONS, PATHS, RULES, TRIPLES
from .answer_forms import AnswerEnumeration
from .background_queries import BackgroundEnumeration
from .durations import DurationEnumeration
from .joined_triples import TripleEnumeration
from .operators import EpsparqlEnumeration
from .path_queries import PathEnumeration
from .rule_sets import RuleEnumeration

__all__ = ["ENUMERATION", "EpsparqlEnumeration"]

ENUMERATION = ByAlphabet(EpsparqlEnumeration, {
    DURATIONS.name: DurationEnumeration,
    TRIPLES.name: TripleEnumeration,
    PATHS.name: PathEnumeration,
    RULES.name: RuleEnumeration,
    ANSWERS.name: AnswerEnumeration,
    BACKGROUND.name: BackgroundEnumeration,
})
