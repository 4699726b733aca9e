"""The same words say another thing where the page, a heading, or anything that is said around them is another."""

from pathlib import Path

import pytest
from migration_world import LIMITS, OTHER, moved, outcomes, pages, query, snapshot

from runner.annotation.migration.blocks import Blocks
from runner.annotation.migration.migrate import Migration

TABLE = "| plan | a minute | a day |\n|---|---|---|\n| Free | 10 | 100 |\n| Team | 20 | 200 |"
LIST = "To turn backups on:\n\n- hold the lid\n- press the red key"
NESTED = "- On the Free plan\n\n  - ask for a quota\n  - wait\n- On the Team plan\n  - do nothing"
HTML = "<table>\n<tr><th>Free</th></tr>\n<tr><td>10. It is.</td></tr>\n</table>"


def followed(folder: Path, before: str, after: str, quote: str) -> Migration:
    old, new = (
        snapshot(pages(f"a.md\n# L\n\n{text}\n\n# Z\n\n{more}")) for text, more in ((before, "No."), (after, "Yes."))
    )
    head = f'name: facts\nunit: span\ndocuments: "{old.documents_sha256[:16]}"\n'
    return moved(folder, [query("q1", {"document": "a.md", "quote": quote})], old, new, head)


CHECK = "To see an example, check the [generators](https://a.example), they all include it."
TABS = '//// tab | Python 3.8\n\n```Python hl_lines="1"\n{!../a.py!}\n```\n\n/// tip\n\nPrefer it.\n\n///\n\n////'
# What is other than before says nothing: white space, markup, where to read on, which file of code is shown.
SAME = [
    (LIMITS, LIMITS.replace(" may ", " may\n"), "a hundred messages"),
    (f"{LIMITS} {OTHER}", f"{LIMITS} **A message** may {OTHER[14:]}", LIMITS),
    (f"See [the list](a.md). {LIMITS}", f"See <a href='b.md'>the list</a>. {LIMITS}", LIMITS),
    (f"{LIMITS}\n\n{CHECK}", LIMITS, LIMITS),
    ("免費方案每分鐘一百次。\n\n請參考[清單](a.md)。", "免費方案每分鐘一百次。", "每分鐘一百次"),
    ("這稱為終止代理 (Termination Proxy)。每分鐘一百次。", "這稱為終止代理。每分鐘一百次。", "每分鐘一百次"),
    (f'{LIMITS}\n\n```Python hl_lines="6"\n{{!../a.py!}}\n```', f"{LIMITS}\n\n{{* ../a.py hl[6] *}}", LIMITS),
    (f"{LIMITS}\n\n{TABS}", f"{LIMITS}\n\n{{* ../a_py310.py *}}", LIMITS),
    (TABLE, TABLE.replace("| plan |", "|   plan   |"), "10"),
    (LIST, LIST.replace("- ", "* "), "press the red key"),
    (f"## Own {{ #own }}\n\n{LIMITS}", f"## Own\n\n{LIMITS}", LIMITS),
]
OTHERS = [
    (f"{LIMITS} {OTHER}", f"{LIMITS} Nothing else.", LIMITS),
    (f"{LIMITS}\n\n{OTHER}", f"{OTHER}\n\n{LIMITS}", "a hundred messages a minute"),
    ("一。免費方案每分鐘一百次。二。", "三。免費方案每分鐘一百次。四。", "每分鐘一百次"),
    (TABLE, TABLE.replace("20 | 200", "30 | 300"), "| Free | 10 | 100 |"),
    (LIST, LIST.replace("hold", "lift"), "press the red key"),
    (NESTED, NESTED.replace("wait", "wait a day"), "ask for a quota"),
    ("10 次。", "10 次。更多。", "10 次"),
    # Where to read on, and more than that.
    (f"{LIMITS}\n\n{CHECK}", f"{LIMITS}\n\nSee [the new limits](a.md), as these no longer hold.", LIMITS),
    (f"{LIMITS}", f"{LIMITS}\n\nSee [the team plan](a.md) instead.", LIMITS),
    ("終止代理 (Free) 會這麼做。每分鐘一百次。", "終止代理 (Team) 會這麼做。每分鐘一百次。", "每分鐘一百次"),
    ("終止代理會這麼做。每分鐘一百次。", "終止代理 (only once) 會這麼做。每分鐘一百次。", "每分鐘一百次"),
    (f"It is {LIMITS}", f"It is not {LIMITS}", LIMITS),
    ("It is\nrecommended to run both.", "It is not\nrecommended to run both.", "recommended to run both"),
    ("It is, e.g. here, on.", "It is not, e.g. here, on.", "here, on"),
    ("我們建議在單一主機上執行排程器。", "我們不建議在單一主機上執行排程器。", "建議在單一主機上執行排程器"),
    ("上限為 10 個（每日）。", "上限為 10 個（每月）。", "上限為 10 個"),
    (TABLE, TABLE.replace("a minute | a day", "a day | a minute"), "| Free | 10 | 100 |"),
    (TABLE, TABLE.replace("10 | 100", "10 | 900"), "| Free | 10"),
    (f"On the Free plan:\n\n{TABLE}", f"On the Scale plan:\n\n{TABLE}", "| Free | 10 | 100 |"),
    (LIST, LIST.replace("on:", "off:"), "press the red key"),
    (LIST, LIST.replace("on:", "off:"), "- press the red key"),
    (LIST.replace(":\n\n", ":\n"), LIST.replace("on:\n\n", "off:\n"), "press the red key"),
    (LIST.replace("- ", "一、"), LIST.replace("on:", "off:").replace("- ", "一、"), "press the red key"),
    (NESTED, NESTED.replace("Free", "Scale"), "ask for a quota"),
    ("On the Free plan:\n\n    100 a minute", "On the Team plan:\n\n    100 a minute", "100 a minute"),
    (HTML, HTML.replace("Free", "Team"), "It is."),
    (LIMITS, f"## Team\n\n{LIMITS}", LIMITS),
]


@pytest.mark.parametrize(("before", "after", "quote"), SAME)
def test_words_among_the_same_words_are_carried(tmp_path: Path, before: str, after: str, quote: str) -> None:
    migration = followed(tmp_path, before, after, quote)
    assert outcomes(migration) == [("carried", f"a.md: {quote}", [f"a.md: {quote}"])]


@pytest.mark.parametrize(("before", "after", "quote"), OTHERS)
def test_words_among_others_are_proposed(tmp_path: Path, before: str, after: str, quote: str) -> None:
    migration = followed(tmp_path, before, after, quote)
    assert outcomes(migration) == [("proposed", f"a.md: {quote}", [f"a.md: {quote}"])]
    assert migration.entries[1].similarity == 1.0
    assert migration.entries[1].note in ("same words, other surroundings", "same words, other heading")


@pytest.mark.parametrize(
    ("before", "after", "quote", "now"),
    [
        ("In a minute it is 10.", "In a minute it is 1000.", "In a minute it is 10", "In a minute it is 1000."),
        ("A client can retry.", "A client cannot retry.", "A client can", "A client cannot retry."),
        (
            "Exports are available to all.",
            "Exports are unavailable to all.",
            "available to all",
            "Exports are unavailable to all",
        ),
        ("每日上限為 10 個。", "每日上限為 100 個。", "每日上限為 10", "每日上限為 100 個。"),
    ],
)
def test_a_part_of_a_longer_word_or_number_is_not_the_same(
    tmp_path: Path, before: str, after: str, quote: str, now: str
) -> None:
    assert outcomes(followed(tmp_path, before, after, quote)) == [("proposed", f"a.md: {quote}", [f"a.md: {now}"])]


def test_sentences_and_cells_are_found_around_a_place() -> None:
    text = "One. Two three! Four\n\n| a | b c |\n|---|---|\n| d e | f |\n\n四五。六七。"
    blocks = Blocks(text)

    def widened(words: str) -> str:
        start = text.index(words)
        return text[slice(*blocks.sentences(start, start + len(words)))]

    found = [widened(words) for words in ("three", "Four", "c", "d", "七", "Two three!", "One. Two")]
    assert found == ["Two three!", "Four", "b c", "d e", "六七。", "Two three!", "One. Two three!"]
    assert Blocks("").sentences(0, 0) == (0, 0)
