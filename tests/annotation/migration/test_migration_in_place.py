"""Judged words that were edited: what stands in their place now, from end to end, or that nothing does."""

from pathlib import Path

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, moved, pages, query, snapshot

from runner.annotation.history.entry import RecordEntry

PAGE = "a.md\n# Hours\n\nOpen on weekdays. {}\n\n# Fax\n\n{}\n\n# Mail\n\nWrite to the desk in the hall, at any time."
FAX = "Send a fax to the number of the desk, on weekdays and at any time but noon."
LETTER = "Send a letter to the address of our office, on any day you like."


def followed(folder: Path, before: str, after: str, quote: str, fax: str = FAX, more: str = "") -> RecordEntry:
    old, text = snapshot(pages(PAGE.format(before, FAX))), PAGE.format(after, fax)
    new = snapshot(pages(text.replace("# Fax\n\n\n\n", ""), f"b.md\n{more}"))
    head = f'name: facts\nunit: span\ndocuments: "{old.documents_sha256[:16]}"\n'
    migration = moved(folder, [query("q1", {"document": "a.md", "quote": quote})], old, new, head)
    return migration.entries[1]


RATES = "\n\n| plan | rate |\n|---|---|\n| Free | {} |"
DESK = "The desk is open from nine to five."
PLACES = [
    # An edit that touches an end may turn the meaning before it.
    (
        "You may send at most 100 requests a minute.",
        "You may send no more than 120 requests a minute.",
        "100 requests a minute",
        "You may send no more than 120 requests a minute",
    ),
    (
        "You may send at most 100 requests a minute.",
        "You may send up to 120 requests a minute.",
        "at most 100 requests a minute",
        "You may send up to 120 requests a minute",
    ),
    (
        "You may send 100 requests a minute.",
        "You may send 100 requests an hour.",
        "send 100 requests a minute",
        "send 100 requests an hour.",
    ),
    # Within, the ends stay what they are.
    (
        "You may send 100 small requests a minute.",
        "You may send 100 large requests a minute.",
        "100 small requests",
        "100 large requests",
    ),
    (
        "服務時間是早上九點到下午五點，例假日休息。",
        "服務時間是上午十點到晚上六點，例假日休息。",
        "早上九點到下午五點",
        "服務時間是上午十點到晚上六點",
    ),
    (
        "服務時間是早上九點到下午五點，例假日休息。",
        "服務時間改為早上十點到傍晚，例假日休息。",
        "早上九點到下午五點",
        "服務時間改為早上十點到傍晚，例假日休息。",
    ),
    # In a table the cell.
    (
        RATES.format("at most 100 a minute"),
        RATES.format("up to 50 a minute"),
        "at most 100 a minute",
        "up to 50 a minute",
    ),
    # Of what took the place of two sentences, the one.
    (f"{DESK} It is closed at noon.", "Come from ten to six. At noon we are closed.", DESK, "Come from ten to six."),
    (
        f"{DESK} It is closed at noon.",
        "Come early. Never ring the bell at noon.",
        "It is closed at noon.",
        "Never ring the bell at noon.",
    ),
    # What comes under a heading of its own is another thing.
    (DESK, "Come from ten.\n\n# Rest", DESK, "Come from ten."),
    # However little is left of it, and however much more is said now.
    (DESK, "Come when you like.", DESK, "Come when you like."),
    (DESK, f"The desk is open from ten to six. {OTHER} {LIMITS}", DESK, "The desk is open from ten to six."),
]


@pytest.mark.parametrize(("before", "after", "quote", "now"), PLACES)
def test_what_took_the_place_of_words_is_proposed(
    tmp_path: Path, before: str, after: str, quote: str, now: str
) -> None:
    entry = followed(tmp_path, before, after, quote)
    assert (entry.what, [item["quote"] for item in entry.new]) == ("proposed", [now])
    assert entry.note == "edited"


def test_words_that_were_only_taken_out_are_gone_with_a_hint(tmp_path: Path) -> None:
    entry = followed(tmp_path, "", "", FAX, fax="", more=LETTER)
    assert (entry.what, entry.new, entry.similarity) == ("gone", (), 0.0)
    assert entry.note.startswith("nothing stands in its place; the nearest, ")
    assert entry.note.endswith(f"% alike, in b.md: “{LETTER}”")


def test_a_mark_without_a_letter_that_was_taken_out_is_gone(tmp_path: Path) -> None:
    entry = followed(tmp_path, "**→**", "", "→")
    assert (entry.what, entry.note) == ("gone", "nothing stands in its place")


def test_a_sentence_taken_out_of_its_paragraph_is_gone(tmp_path: Path) -> None:
    entry = followed(tmp_path, f"{LIMITS} {OTHER}", OTHER, LIMITS)
    assert (entry.what, entry.new) == ("gone", ())


def test_another_section_in_the_place_of_one_that_was_taken_out_is_no_proposal(tmp_path: Path) -> None:
    old = snapshot(pages(PAGE.format("", FAX)))
    new = snapshot(pages(PAGE.format("", LIMITS).replace("# Fax", "# Plans")))
    head = f'name: facts\nunit: span\ndocuments: "{old.documents_sha256[:16]}"\n'
    migration = moved(tmp_path, [query("q1", {"document": "a.md", "quote": FAX})], old, new, head)
    assert migration.entries[1].what == "gone"


@pytest.mark.parametrize("text", [LIMITS, ZH_LIMITS])
def test_much_the_same_words_elsewhere_are_proposed_whole(tmp_path: Path, text: str) -> None:
    other = text.replace("hundred", "thousand").replace("一百", "兩百")
    entry = followed(tmp_path, text, "", text, more=f"Before. {other} After.")
    assert (entry.what, [item["quote"] for item in entry.new]) == ("proposed", [other])
    assert entry.note == "like it, on another page"


def test_where_little_is_left_in_their_place_words_much_like_them_are_proposed_as_well(tmp_path: Path) -> None:
    like = "The desk is open from nine to six."
    entry = followed(tmp_path, DESK, "Come when you like.", DESK, more=f"Before. {like} After.")
    assert [item["quote"] for item in entry.new] == ["Come when you like.", like]
    assert entry.details["similarities"][1] > 0.9


def test_the_same_words_elsewhere_come_after_what_stands_in_their_place(tmp_path: Path) -> None:
    entry = followed(tmp_path, "It is 10 a day.", "It is 20 a day.", "10 a day", more="Elsewhere 10 a day.")
    places = [(item["document"], item["quote"]) for item in entry.new]
    assert places == [("a.md", "It is 20 a day"), ("b.md", "10 a day")]
    assert entry.details["similarities"] == [entry.similarity, 1.0]
