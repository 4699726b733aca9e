"""A gate's verdict as a person and as a machine reads it: terminal, Markdown, JUnit XML, JSON."""

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from runner.decisions.gating import GateResult
from runner.files.atomic import replace_files
from runner.files.strict_json import json_text
from runner.rendering.markdown import bullets, code, document, escape, markdown_table
from runner.rendering.visible import visible
from runner.rules.estimate import Estimate
from runner.rules.rule import Verdict

_HEADER = ("", "rule", "metric", "slice", "n", "new run", "baseline", "change", "reason")
_MARK = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive"}


def write_reports(result: GateResult, folder: Path) -> None:
    """Write gate.md, gate.xml and gate.json into a folder."""
    junit = _junit(result)
    for each in junit.iter():
        # XML has no place for controls, and a file with one is read by nobody.
        each.text = visible(each.text) if each.text else each.text
        each.attrib.update({name: visible(value) for name, value in each.attrib.items()})
    ElementTree.indent(junit)
    xml = ElementTree.tostring(junit, encoding="utf-8", xml_declaration=True)
    values = json_text(gate_values(result))
    replace_files(folder, {"gate.md": gate_markdown(result), "gate.json": values, "gate.xml": xml})


def headline(result: GateResult) -> str:
    """One sentence: passed or blocked, and by what."""
    run = f"{result.new_run.run.name} ({result.new_run.run.id})"
    if result.blocked:
        return f"gate {result.policy.name}: BLOCKED {run} by {', '.join(each.rule.name for each in result.blocking)}"
    warned = f", with warnings from {', '.join(each.rule.name for each in result.warnings)}" if result.warnings else ""
    return f"gate {result.policy.name}: passed {run}{warned}"


def gate_lines(result: GateResult) -> list[str]:
    """The verdict for the terminal, one rule a line with its reasons beneath."""
    lines = [headline(result)]
    if result.baseline is not None:
        lines.append(f"  against {result.baseline.run.name} ({result.baseline.run.id})")
    for each in result.verdicts:
        rule = each.rule
        lines.append(
            f"  {_MARK[each.outcome]:12} {rule.name}: {rule.measure} k={each.k} {rule.where} "
            f"(n={each.n}, {rule.severity})"
        )
        lines += [f"               {reason}" for reason in each.reasons]
        lines += [f"               {note}" for note in each.notes]
        if each.outcome != "pass" and each.losers:
            lines.append(f"               lost most: {', '.join(each.losers)}")
    return [*lines, *(f"  note: {note}" for note in result.notes)]


def gate_markdown(result: GateResult) -> str:
    """The verdict fit for a comment on a pull request."""
    title = "Retrieval gate: blocked" if result.blocked else "Retrieval gate: passed"
    parts = [f"## {title}", escape(headline(result)) + "."]
    if result.baseline is not None:
        parts.append(f"Baseline: {escape(result.baseline.run.name)} (`{result.baseline.run.id}`).")
    rows = []
    for each in result.verdicts:
        outcome = f"**{_MARK[each.outcome]}**" if each.outcome == "fail" else _MARK[each.outcome]
        warn = " (warn)" if each.rule.severity == "warn" else ""
        row = [
            outcome + warn,
            escape(each.rule.name),
            f"{each.rule.measure}, k={each.k}",
            escape(each.rule.where),
            str(each.n),
            each.rule.shown(each.value.value) if each.value else "-",
            f"{each.baseline:.3f}" if each.baseline is not None else "-",
            f"{each.difference.value:+.3f}" if each.difference else "-",
            escape("; ".join(each.reasons)),
        ]
        rows.append(row)
    parts.append(markdown_table(_HEADER, rows))
    lost = [each for each in result.verdicts if each.losers and each.outcome != "pass"]
    if lost:
        texts = dict(zip(result.new_run.query_ids, result.new_run.texts, strict=True))
        queries = [(each.rule.name, id_) for each in lost for id_ in each.losers]
        parts.append("Queries that lost most:")
        parts.append(bullets(f"{escape(rule)}: {code(id_)} {escape(texts[id_])}" for rule, id_ in queries))
    notes = [*result.notes, *(f"{each.rule.name}: {note}" for each in result.verdicts for note in each.notes)]
    return document([*parts, bullets(map(escape, notes))])


def gate_values(result: GateResult) -> dict[str, Any]:
    """The verdict as JSON values."""
    return {
        "policy": result.policy.model_dump(mode="json"),
        "blocked": result.blocked,
        "run": result.new_run.run.id,
        "baseline": result.baseline.run.id if result.baseline else None,
        "notes": list(result.notes),
        "verdicts": [_verdict_values(each) for each in result.verdicts],
    }


def _verdict_values(each: Verdict) -> dict[str, Any]:
    return {
        "rule": each.rule.name,
        "metric": each.rule.measure,
        "k": each.k,
        "slice": each.rule.where,
        "severity": each.rule.severity,
        "outcome": each.outcome,
        "n": each.n,
        "value": _ends(each.value),
        "baseline": each.baseline,
        "difference": _ends(each.difference),
        "reasons": list(each.reasons),
        "notes": list(each.notes),
        "lost_most": list(each.losers),
    }


def _ends(estimate: Estimate | None) -> dict[str, float | None] | None:
    """JSON knows no infinity: an end that is not bounded is null."""
    if estimate is None:
        return None
    return {name: end if math.isfinite(end) else None for name, end in vars(estimate).items()}


def _junit(result: GateResult) -> ElementTree.Element:
    blocking = {each.rule.name for each in result.blocking}
    undecided = [each for each in result.verdicts if each.rule.name not in blocking and each.outcome != "pass"]
    suite = ElementTree.Element(
        "testsuite",
        name=_printable(f"gate {result.policy.name}"),
        tests=str(len(result.verdicts)),
        failures=str(len(blocking)),
        skipped=str(len(undecided)),
        errors="0",
    )
    for each in result.verdicts:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            name=_printable(each.rule.name),
            classname=_printable(f"{result.policy.name}.{each.rule.where}"),
        )
        text = _printable("; ".join([*each.reasons, *each.notes]))
        if each.rule.name in blocking:
            ElementTree.SubElement(case, "failure", message=text, type=each.outcome)
        elif each.outcome != "pass":
            # JUnit knows no warning: what does not stop the release shows as skipped, with its reason.
            ElementTree.SubElement(case, "skipped", message=f"{each.outcome}: {text}")
        else:
            ElementTree.SubElement(case, "system-out").text = text
    return suite


def _printable(text: str) -> str:
    """XML 1.0 has no control characters."""
    return "".join(character if character >= " " or character in "\t\n" else " " for character in text)
