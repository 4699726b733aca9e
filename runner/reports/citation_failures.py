"""The citations that fail, grouped by check, a line each."""

from collections import Counter
from collections.abc import Callable, Iterator

from runner.citation_checks.answer_file import ServedAnswer
from runner.citation_checks.check_result import CHECKS, Check, CheckedAnswers, CheckedCitation
from runner.errors import MOST_LISTED
from runner.rendering.markdown import code, escape
from runner.rendering.visible import cut

# From the answer, the cited id ("" for a fault of the whole record), what is said of it, and the quotation.
LineOf = Callable[[ServedAnswer, str, str, str | None], str]


def failing(checked: CheckedAnswers, check: Check) -> list[CheckedCitation]:
    """The citations that a check fails for, in file order."""
    return [each for each in checked.citations if each.findings[check].outcome == "failed"]


def failure_groups(checked: CheckedAnswers, line_of: LineOf) -> Iterator[tuple[str, list[str]]]:
    """Title and lines: first the records that cannot be true, then the failing citations by check.

    Of each the first 20, then how many more there are.
    """
    if checked.impossible:
        lines = [line_of(answer, "", fault, None) for answer, fault in checked.impossible[:MOST_LISTED]]
        yield f"records that cannot be true: {len(checked.impossible)}", [*lines, *_more(len(checked.impossible))]
    for check in CHECKS:
        found = failing(checked, check)
        if found:
            reasons = Counter(each.findings[check].reason for each in found)
            title = f"{check} fails: {len(found)} ({'; '.join(f'{n} {why}' for why, n in reasons.most_common())})"
            yield title, [*(_failure(each, check, line_of) for each in found[:MOST_LISTED]), *_more(len(found))]


def _failure(each: CheckedCitation, check: Check, line_of: LineOf) -> str:
    finding = each.findings[check]
    said = f"; {finding.found}" if finding.found else ""
    quoted = each.citation.quotation if check == "quotation" else None
    return line_of(each.answer, each.citation.id, f"{finding.reason}{said}", quoted)


def _more(count: int) -> list[str]:
    return [f"... and {count - MOST_LISTED} more in citations.parquet"] if count > MOST_LISTED else []


def plain_line(answer: ServedAnswer, cited: str, said: str, quotation: str | None) -> str:
    """A failing citation for the terminal."""
    quoted = f" “{_quoted(quotation)}”" if quotation else ""
    return f"line {answer.line} {answer.name}{' cites ' if cited else ''}{cited}{quoted}: {said}"


def marked_line(answer: ServedAnswer, cited: str, said: str, quotation: str | None) -> str:
    """A failing citation as Markdown."""
    quoted = f" “{escape(_quoted(quotation))}”" if quotation else ""
    cites = f" cites {code(cited)}" if cited else ""
    return f"line {answer.line} {escape(answer.name)}{cites}{quoted}: {escape(said)}"


def _quoted(text: str) -> str:
    return cut(" ".join(text.split()), 80)
