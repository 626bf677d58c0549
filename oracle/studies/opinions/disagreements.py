"""Where another evaluator and the definitions disagree: told by what is known, or a discovery."""

from __future__ import annotations

from dataclasses import dataclass

from .deviations import Deviation, answer_of, known
from .questions import Question, Solutions, pattern_of
from .reducing import shrink
from .respondents import Opinion, Refusal


@dataclass(frozen=True)
class Disagreement:
    """A question that somebody answers otherwise than the definitions, in its smallest form.

    `deviation` is the known deviation that explains it, None for a discovery.
    """

    who: str
    question: Question
    theirs: Solutions | Refusal
    deviation: Deviation | None

    def __str__(self) -> str:
        return (
            f"{self.who} deviates\n  on {' '.join(self.question.text.split())}\n"
            f"  over {self.question.nquads() or 'no triples'}"
            f"{''.join(f' and <{name}>' for name in self.question.named)}\n"
            f"  answers {_told(self.theirs)}\n  instead of {_told(self.question.solutions)}"
        )


def disagreement(
    opinion: Opinion, question: Question
) -> Disagreement | None:
    """How somebody's answer differs from what the definitions say, if it does.

    Rows and refusals are not mixed up on the way.
    """
    theirs = answer_of(opinion, question)
    if theirs == question.solutions:
        return None
    # What a text says may be put in more than one tree: the one that parsing gives is everybody's.
    question = Question(pattern_of(question.text), question.dataset)
    entries = known(opinion.name)
    if isinstance(theirs, Refusal):
        for entry in entries:
            if entry.explains(question, theirs):
                return Disagreement(opinion.name, question, theirs, entry)

    def fails(smaller: Question) -> bool:
        answer = answer_of(opinion, smaller)
        return isinstance(answer, Refusal) == isinstance(theirs, Refusal) and (
            answer != smaller.solutions
        )

    smallest = shrink(question, fails)
    answer = answer_of(opinion, smallest)
    explaining = (each for each in entries if each.explains(smallest, answer))
    return Disagreement(opinion.name, smallest, answer, next(explaining, None))


def _told(answer: Solutions | Refusal) -> str:
    if isinstance(answer, Refusal):
        return f"an error: {answer}"
    return " ".join(str(mu) for mu in answer.elements()) or "nothing"
