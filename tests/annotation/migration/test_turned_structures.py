"""Words that say another thing now by markup, notes, boxes or sections elsewhere on their page: none is carried."""

from pathlib import Path

import pytest
from migration_world import outcome

from runner.chunkers import Window
from runner.documents import Document

FACT = "Version 4 and everything later receives security updates for two full years."
甲 = "第四版以及之後的所有版本，都可以在兩年之內收到安全性更新，之後則不再提供。"
HEAD = "| plan | day | night |\n|---|---|---|\n"
KEYS = "It has ten tokens."

# name -> (page before, page now, the words that are judged); {} is FACT, or 甲 where that is judged.
TURNED: dict[str, tuple[str, str, str]] = {
    "cell of another column": (f"{HEAD}| Free | 10 | |", f"{HEAD}| Free | | 10 |", "Free"),
    "row of another group": (
        f"{HEAD}| Free | | |\n| x | y | ten |",
        f"{HEAD}| | Free | |\n| x | y | ten |",
        "ten",
    ),
    "cell of an HTML table": (
        "<table><tr><td>ten tokens</td><td></td></tr></table>",
        "<table><tr><td></td><td>ten tokens</td></tr></table>",
        "ten tokens",
    ),
    "merged cell": (
        '<table><tr><td rowspan="2">Free</td><td>1</td></tr>\n<tr><td>ten tokens</td></tr></table>',
        "<table><tr><td>Free</td><td>1</td></tr>\n<tr><td>ten tokens</td></tr></table>",
        "ten tokens",
    ),
    "item that joins another": ("- Never\n- {}", "- Never\n\n  {}", FACT),
    "item of another list": ("- Never\n\n<!-- -->\n\n- {}", "- Never\n- {}", FACT),
    "item that leaves its list": ("Never:\n\n- x\n\n- {}", "Never:\n\n- x\n\n{}", FACT),
    "number of a step": (
        "1. Hold.\n2. Press it.\n\nOnly do 2.",
        "2. Hold.\n3. Press it.\n\nOnly do 2.",
        "Press it.",
    ),
    "quotation in an item": ("- > {}", "- {}", FACT),
    "struck out by a tag": ("{}", "<del>{}</del>", FACT),
    "heading struck out": ("## Allowed\n\n{}", "## <del>Allowed</del>\n\n{}", FACT),
    "struck out by style": ("<span>{}</span>", '<span style="text-decoration: line-through">{}</span>', FACT),
    "title of a link": ('The [plan](x.md "Free"). {}', 'The [plan](x.md "Gold"). {}', FACT),
    "raised digit": ("It is 10<sup>3</sup>. It is high.", "It is 103. It is high.", "It is high."),
    "tab of a component": ('<Tab label="Free">\n\n{}\n\n</Tab>', '<Tab label="Gold">\n\n{}\n\n</Tab>', FACT),
    "name of a component": ("<Do>\n\n{}\n\n</Do>", "<DoNot>\n\n{}\n\n</DoNot>", FACT),
    "class of a notice": (
        '<div class="box tip">\n\n{}\n\n</div>',
        '<div class="box danger">\n\n{}\n\n</div>',
        FACT,
    ),
    "class behind a paragraph": ("{}\n{{: .allowed }}", "{}\n{{: .deprecated }}", FACT),
    "box that is ticked": ('<input type="checkbox" checked> {}', '<input type="checkbox"> {}', FACT),
    "long form": (
        '<abbr title="on Free">So</abbr> it is. {}',
        '<abbr title="on Gold">So</abbr> it is. {}',
        FACT,
    ),
    "picture's words": ('<img src="a.png" alt="Free"> {}', '<img src="a.png" alt="Gold"> {}', FACT),
    "picture's title": ('![](a.png "Free") {}', '![](a.png "Gold") {}', FACT),
    "picture without words": ("![](yes.svg) {}", "![](no.svg) {}", FACT),
    "placeholder": ("Open <host>/x. It stays.", "Open <guest>/x. It stays.", "It stays."),
    "address called here": (
        f"Get it [here](https://a.example/new). {KEYS}",
        f"Get it [here](https://a.example/old). {KEYS}",
        KEYS,
    ),
    "footnote of one word": ("{}[^1]\n\n[^1]: Free", "{}[^1]\n\n[^1]: Gold", FACT),
    "註腳": ("{}[^1]\n\n[^1]: 僅限免費方案。", "{}[^1]\n\n[^1]: 不含免費方案。", 甲),
    "footnote far away": (
        "{}[^n]\n\n# Z\n\n[^n]: It is so\n    on Free.",
        "{}[^n]\n\n# Z\n\n[^n]: It is so\n    on Gold.",
        FACT,
    ),
    "footnote of the section above": (
        "So.[^n]\n\n## B\n\n{}\n\n# Z\n\n[^n]: On Free.",
        "So.[^n]\n\n## B\n\n{}\n\n# Z\n\n[^n]: On Gold.",
        FACT,
    ),
    "mark far away": ("{}†\n\n# Z\n\n† On Free.", "{}†\n\n# Z\n\n† On Gold.", FACT),
    "star far away": ("{}\\*\n\n# Z\n\n\\* On Free.", "{}\\*\n\n# Z\n\n\\* On Gold.", FACT),
    "註": ("{}【註一】\n\n# 尾\n\n【註一】僅限免費。", "{}【註一】\n\n# 尾\n\n【註一】僅限黃金。", 甲),
    "abbreviation": (
        "It is 9 RPM.\n\n# Z\n\n*[RPM]: a minute",
        "It is 9 RPM.\n\n# Z\n\n*[RPM]: a month",
        "It is 9 RPM.",
    ),
    "box over a heading": ("/// tab | Free\n\n# B\n\n{}\n\n///", "/// tab | Gold\n\n# B\n\n{}\n\n///", FACT),
    "box that ends later": (
        "/// tip | Free\n\nx\n\n///\n\n# B\n\n{}",
        "/// tip | Free\n\nx\n\n# B\n\n{}\n\n///",
        FACT,
    ),
    "component over a heading": (
        '<Tab label="Free">\n\n# B\n\n{}\n\n</Tab>',
        '<Tab label="Gold">\n\n# B\n\n{}\n\n</Tab>',
        FACT,
    ),
    "condition over a heading": (
        "{{% if free %}}\n\n# B\n\n{}\n\n{{% endif %}}",
        "{{% if gold %}}\n\n# B\n\n{}\n\n{{% endif %}}",
        FACT,
    ),
    "title of code": (
        '```toml title="dev"\nlimit = 10\n```',
        '```toml title="live"\nlimit = 10\n```',
        "limit = 10",
    ),
    "language of code": ("```sql\nselect ten\n```", "```text\nselect ten\n```", "select ten"),
    "code that leaves its item": (
        "- On Free:\n\n  ```\n  limit = 10\n  ```",
        "- On Free:\n\n```\nlimit = 10\n```",
        "limit = 10",
    ),
    "braces in code": (
        "```\nx {{ #free }}\nlimit = 10\n```",
        "```\nx {{ #gold }}\nlimit = 10\n```",
        "limit = 10",
    ),
    "file put in": ('--8<-- "allowed.md"\n\n{}', '--8<-- "forbidden.md"\n\n{}', FACT),
    "part of a file put in": ('--8<-- "plans.md:free"\n\n{}', '--8<-- "plans.md:gold"\n\n{}', FACT),
    "code put in": ("To stop it:\n\n{{!stop.py!}}", "To stop it:\n\n{{!start.py!}}", "To stop it"),
    "no pointer but a rule": ("{}", "{}\n\nFor a [Free](f.md) plan it is half of it.", FACT),
    "no pointer but a step": ("1. See [the lamp](l.md).\n2. Press it.", "1. Press it.", "Press it."),
    "pointer that replaces": ("{}", "{} See [page two](b.md), which replaces this page.", FACT),
    "pointer to what counts": ("{}", "{} See [page two](b.md) for the current limits.", FACT),
    "pointer that goes on": ("{}", "{} See [plans](b.md): Free gets one year.", FACT),
    "pointer that names what follows": (
        f"See [the Free plan](f.md).\n\n{KEYS}",
        f"See [the Gold plan](f.md).\n\n{KEYS}",
        KEYS,
    ),
    "pointer between": (f"Free is small.\n\n{KEYS}", f"Free is small.\n\nSee [Gold](g.md).\n\n{KEYS}", KEYS),
    "參考之後": ("免費方案很小。\n\n它有十個。", "免費方案很小。\n\n請參考[黃金](g.md)。\n\n它有十個。", "它有十個。"),
    "condition like a gloss": ("此程式如下。{}", "此程式（Windows Server）如下。{}", 甲),
    "unit like a gloss": ("這稱為上限 10 個。{}", "這稱為上限 10 個 (per month)。{}", 甲),
    "notice at the end": (
        "{}\n\n# B\n\nx.",
        "{}\n\n# B\n\nx.\n\n# C\n\nNone of the above holds any more.",
        FACT,
    ),
    "本頁": ("{}\n\n# 二\n\n無。", "{}\n\n# 二\n\n無。本頁已不適用。", 甲),
    "unit of all below": (
        "All sizes below are in KB.\n\n# B\n\n{}",
        "All sizes below are in MB.\n\n# B\n\n{}",
        FACT,
    ),
    "sections that exchanged their bodies": (
        "# Free\n\n# Limits\n\n{}\n\n# Gold\n\n# Limits\n\nx",
        "# Free\n\n# Limits\n\nx\n\n# Gold\n\n# Limits\n\n{}",
        FACT,
    ),
    "parents of one name": (
        "# Free\n\n# Plan\n\n## Limits\n\n{}\n\n# Gold\n\n# Plan\n\n## Limits\n\nx",
        "# Free\n\n# Plan\n\n## Limits\n\nx\n\n# Gold\n\n# Plan\n\n## Limits\n\n{}",
        FACT,
    ),
    "words of two sections": (
        "{}\n\n# B\n\nIt holds. Always.",
        "{}\n\n# B\n\nIt holds. Never.",
        f"{FACT}\n\n# B\n\nIt holds.",
    ),
    "what sections are introduced by": (
        "These are allowed:\n\n## Free\n\nx",
        "These are allowed:\n\n## Gold\n\nx",
        "These are allowed:",
    ),
}
# Not a word of their section is another.
OUTSIDE = (
    "box over a heading",
    "box that ends later",
    "condition over a heading",
    "heading struck out",
    "footnote far away",
    "notice at the end",
    "本頁",
    "sections that exchanged their bodies",
    "parents of one name",
)


def page(text: str, words: str) -> Document:
    return Document("a.md", "T", f"# A\n\n{text.format(甲 if 甲 in words else FACT)}")


@pytest.mark.parametrize("name", TURNED)
def test_a_span_whose_meaning_turned_is_not_carried(tmp_path: Path, name: str) -> None:
    before, now, words = TURNED[name]
    old, new = page(before, words), page(now, words)
    assert old.text.count(words) == new.text.count(words) == 1
    assert outcome(tmp_path, (old,), (new,), {"document": "a.md", "quote": words}, "span") == "proposed"


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_passage_whose_meaning_turned_is_not_carried(tmp_path: Path, name: str) -> None:
    before, now, words = TURNED[name]
    assert outcome(tmp_path, (page(before, words),), (page(now, words),), words, "passage") == "proposed"


def test_a_window_over_two_sections_stands_among_what_both_say(tmp_path: Path) -> None:
    text = f"{FACT}\n\n# B\n\nIt holds {'so ' * 30}\n\n{{}}."
    old, new = (Document("a.md", "T", text.format(each)) for each in ("Always", "Never"))
    assert outcome(tmp_path, (old,), (new,), FACT, "passage", Window(100, 0)) == "proposed"


SAME = {
    "order of sections": ("## B\n\n{}\n\n## C\n\nx", "## C\n\nx\n\n## B\n\n{}"),
    "marks of a list": ("- x\n- {}", "* x\n\n* {}"),
    "numbers in the source": ("1. x\n1. {}", "1. x\n2. {}"),
    "address of a link": ("Use [the list](http://a.example/x). {}", "Use [the list][l]. {}\n\n[l]: b/x.md"),
    "box of the layout": ('<div class="wide" id="a">\n\n{}\n\n</div>', "{}"),
    "marked lines of code": ('{}\n\n```Py hl_lines="1"\nstop\n```', '{}\n\n```py hl_lines="2" linenums="1"\nstop\n```'),
    "footnote elsewhere": ("{}\n\n# Z\n\nx", "{}\n\n# Z\n\nx[^1]\n\n[^1]: y"),
    "section of the same name elsewhere": ("## B\n\n{}\n\n# Z\n\nx", "## B\n\n{}\n\n# Z\n\nx\n\n## B\n\ny"),
    "level of a heading": ("## B\n\n{}", "### B\n\n{}"),
    "boxes before": ("# B\n\n{}", "/// tip\n\nx\n\n///\n\n<Tip>\n\nx\n\n</Tip>\n\n<Logo />\n\n# B\n\n{}"),
    "tags named before": ("# B\n\n{}", "Use List<Free> and `<Tab>`.\n\n```\n<Tab>\n/// tip | x\n```\n\n# B\n\n{}"),
    "space in a box's mark": ("/// tip | So\n\n# B\n\n{}\n\n///", "///  tip |  So\n\n# B\n\n{}\n\n///"),
    "pointer behind": ("{}", "{}\n\nSee [the list](l.md) and [more](m.md)."),
}


@pytest.mark.parametrize("words", [FACT, 甲])
@pytest.mark.parametrize("name", SAME)
def test_a_change_of_markup_alone_turns_nothing(tmp_path: Path, name: str, words: str) -> None:
    old, new = (page(each, words) for each in SAME[name])
    assert outcome(tmp_path, (old,), (new,), {"document": "a.md", "quote": words}, "span") == "carried"
