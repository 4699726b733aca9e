"""When two questions are the same question: their words with case, width, punctuation and white space made alike."""

import re
import unicodedata

from retrievers.ignorable import seen
from runner.suites.query import JudgedQuery
from runner.suites.suite import Suite

# Punctuation that tells names apart: C and C#, 5 and 5%, a and @a.
_TELLING = "#%&@"
_SPACES = re.compile(r"\s+")
# Chinese and Japanese are written with or without spaces beside them.
_WIDE = "[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_BESIDE_WIDE = re.compile(f"(?<={_WIDE}) | (?={_WIDE})")


class _ComparedForms(dict[int, str]):
    """For `str.translate`: what each character becomes, found once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cf":
            became = ""  # zero width, soft hyphens, directions: nobody sees them
        elif (category[0] == "P" and character not in _TELLING) or category in ("Sk", "Cc"):
            became = " "
        else:
            became = character
        self[code] = became
        return became


_COMPARED = _ComparedForms()


def comparable(text: str) -> str:
    """A text as it is compared: what is seen, in NFKC, case folded, runs of punctuation and white space one space.

    A text of nothing but punctuation keeps it.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen(text)).casefold())
    words = _SPACES.sub(" ", folded.translate(_COMPARED)).strip()
    return _BESIDE_WIDE.sub("", words) if words else "".join(folded.split())


def question_key(query: JudgedQuery) -> str:
    """The normalized text after its comparable earlier turns, each on a line; "" for a query without a text.

    A follow-up is a question only after what came before it: two of the same words are two questions.
    """
    text = comparable(query.text)
    return "\n".join([*map(comparable, query.history), text]) if text else ""


def question_keys(suite: Suite, query: JudgedQuery) -> tuple[str, ...]:
    """By what a question of a suite is known: its key, and the normalized text that a retriever is asked for it.

    They differ for a follow-up only, most where the suite ignores earlier turns. None for a query without a text.
    """
    key = question_key(query)
    if not query.history or not key:
        return (key,) if key else ()
    return tuple(dict.fromkeys([key, comparable(suite.query_text(query))]))
