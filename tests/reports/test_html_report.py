"""The page of a sweep: complete, escaped, and in need of nothing but itself."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from report_world import Desk, hybrid, reranked, rows, told

from runner.engine.scored import Scored
from runner.reports.html_failures import failing_queries, only_here
from runner.reports.html_report import render_report
from runner.reports.html_slices import heat_map, power_metrics, power_table

EVIL = "<script>alert(1)</script>\"'&{{ 7*7 }}"
VOID = {"meta", "br", "path", "polyline"}


class Page(HTMLParser):
    """Reads a page strictly: every element that opens must close, in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


# At k=2 one finds q1 and q2, the other q1 and q3; q3 and q2 fail.
ONE = told("one", q1="a", q2="db", q3="abdc")
TWO = told("two", q1="ba", q2="c", q3="c")


def page(*nodes: dict[str, object], desk: Desk | None = None, **values: object) -> Page:
    scored = (desk or Desk()).score(*(nodes or (ONE, TWO)))
    return Page(render_report("20261130-1", rows(scored), scored, **values))  # type: ignore[arg-type]


# -- escaping ----------------------------------------------------------------------------------------------


def test_no_text_of_the_data_can_become_markup() -> None:
    desk = Desk(
        documents={"a": (EVIL, "x"), "b": ("b", EVIL), f"c{EVIL}": ("c", "y")},
        queries={"q1": (EVIL, "a"), f"q2{EVIL}": ("text", f"c{EVIL}")},
        fields={"q1": {"topic": EVIL}, f"q2{EVIL}": {"topic": "題目"}},
    )
    node = {"_target_": "report_world.Told", "name": f"n{EVIL}", "rankings": {"q1": ["b"], f"q2{EVIL}": ["a", "b"]}}
    found = page(node, told("other"), desk=desk, failures=[(f"job{EVIL}", EVIL)], notes={"core": [EVIL]}, when=EVIL)
    assert found.all("script") == []
    assert not [attributes for _, attributes in found.tags if any(name.startswith("on") for name in attributes)]
    # Query, slice, title of a document, id, variant, failure, note and time: each is there as it was written.
    for part in (f"q2{EVIL}", f"n{EVIL}", f"job{EVIL}", f"c{EVIL}", "題目"):
        assert part in found.text
    assert found.text.count(EVIL) > 10
    assert "49" not in found.text


def test_the_page_asks_the_network_for_nothing_and_runs_nothing() -> None:
    scored = Desk().score(ONE, TWO)
    text = render_report("s", rows(scored), scored)
    assert not re.search(r"(src|href|action|url|@import)\s*[=(:]?\s*[\"'(]?\s*(https?:)?//", text)
    assert "http://" not in text and "https://" not in text
    found = Page(text)
    assert {"script", "link", "img", "iframe", "form", "object"}.isdisjoint(tag for tag, _ in found.tags)
    targets = {str(attributes.get("href")) for attributes in found.all("a")}
    ids = {f"#{attributes['id']}" for _, attributes in found.tags if "id" in attributes}
    assert targets and targets <= ids
    (policy,) = [each for each in found.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


# -- what it says ------------------------------------------------------------------------------------------


def test_the_head_says_what_was_scored_on_what() -> None:
    text = page(when="2026-11-30 08:00").text
    scored = Desk().score(ONE)[0]
    suite, snapshot = scored.job.judged.suite, scored.job.stage.snapshot
    for part in ("Sweep 20261130-1", "2026-11-30 08:00", suite.revision, snapshot.id, "4 documents", "4 runs"):
        assert part in text
    assert "scored queries (n) 3" in text


def test_the_best_of_the_table_is_marked_without_colour() -> None:
    found = page(told("good", q1="a", q2="b", q3="c"), told("bad"))
    assert [attributes for attributes in found.all("td") if attributes.get("class") == "best"]
    assert "1.000*" in found.text


def test_tables_and_language_serve_a_screen_reader_and_a_keyboard() -> None:
    found = page()
    assert found.all("html")[0]["lang"] == "en"
    assert all(attributes.get("scope") in ("col", "row", "rowgroup") for attributes in found.all("th"))
    assert found.all("a")[0] == {"class": "skip", "href": "#content"}
    assert [attributes for attributes in found.all("span") if attributes.get("lang") == "zh-Hant"]
    assert all("aria-label" in attributes for attributes in found.all("svg") if attributes.get("role") == "img")
    assert len(found.all("summary")) == len(found.all("details")) > 3


def test_small_samples_and_a_holdout_are_noted() -> None:
    text = page(desk=Desk(role="holdout"), notes={"core": ["This is look 3 at this holdout suite."]}).text
    assert "With 3 queries one query moves a mean by 0.333." in text
    assert "This is a holdout suite" in text and "look 3" in text


def test_failed_jobs_and_runs_of_an_earlier_sweep_are_told() -> None:
    scored = Desk().score(ONE, TWO)
    text = Page(render_report("s", rows(scored), scored[:3], [("bm25 k=9", "it broke")])).text
    assert "1 failed" in text and "bm25 k=9 : it broke" in text
    assert "1 of these runs were finished by an earlier sweep" in text


def test_a_sweep_of_which_nothing_is_left_is_a_page_too() -> None:
    text = Page(render_report("s", [], [], [("bm25 k=1", "it broke")])).text
    assert "No run finished." in text and "it broke" in text


def test_two_suites_have_sections_of_their_own() -> None:
    scored = Desk().score(ONE)
    judged = scored[0].job.judged
    other = [
        replace(each, job=replace(each.job, judged=replace(judged, suite=replace(judged.suite, name="後備"))))
        for each in Desk().score(TWO)
    ]
    found = Page(render_report("s", rows(scored + other), scored + other))
    assert "Suite 後備" in found.text and "Suite core" in found.text
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


# -- failing queries ---------------------------------------------------------------------------------------


def at_two(*nodes: dict[str, object], desk: Desk | None = None) -> dict[str, Scored]:
    return {each.job.stage.component.name: each for each in (desk or Desk()).score(*nodes, ks=[2])}


def test_a_failing_query_is_told_with_its_trace_its_relevant_items_and_what_came_first() -> None:
    one, two = failing_queries(at_two(ONE, TWO))
    assert (one.name, one.k, one.n, one.total, one.lost_in_pool) == ("one", 2, 3, 1, 0)
    (query,) = one.queries
    assert (query.id, query.text, query.cause, query.rank) == ("q3", "what is gamma", "ranking", 4)
    assert query.steps == (("one", "rank 4"),)
    assert [(item.id, item.title) for item in query.relevant] == [("c", "Gamma")]
    assert [(item.id, item.title, item.relevant) for item in query.top] == [
        ("a", "Alpha", False),
        ("b", "貝塔", False),
        ("d", "Delta", False),
        ("c", "Gamma", True),
    ]
    assert [(query.id, query.cause, query.han) for query in two.queries] == [("q2", "pool", True)]


def test_only_so_many_failing_queries_are_listed_the_hardest_first() -> None:
    node = told("n", q1="bcda", q2="acdb", q3="")
    (shown,) = failing_queries(at_two(node), most=2)
    assert (shown.total, [query.id for query in shown.queries]) == (3, ["q3", "q1"])
    (rest,) = failing_queries(at_two(node), most=1)
    assert len(rest.queries) == 1


def test_only_some_of_many_relevant_items_are_listed_and_the_rest_counted() -> None:
    from runner.suites import JudgedQuery

    desk = Desk()
    query = JudgedQuery("q", "many", dict.fromkeys("abcdefg", 1), {"topic": "t"})
    documents = {id_: (f"title {id_}", "x") for id_ in "abcdefgh"}
    desk.documents = documents
    desk.suite = lambda settings: replace(Desk().suite(settings), queries=(query,))  # type: ignore[method-assign]
    (shown,) = failing_queries(at_two(told("n", q="h"), desk=desk))
    assert ([item.id for item in shown.queries[0].relevant], shown.queries[0].more) == (list("abcde"), 2)


def test_the_page_shows_the_stages_of_a_pipeline() -> None:
    text = page(reranked(hybrid(told("words", q1="bcd", q2="b", q3="c"), told("vectors", q1="d")), pool=3)).text
    assert "words: not in the first 10" in text and "pool of reranked: not in it" in text


def test_what_one_variant_alone_finds_is_listed() -> None:
    found = only_here(at_two(ONE, TWO), 2)
    assert {name: [(query.id, query.rank) for query in queries] for name, queries in found.items()} == {
        "one": [("q2", 2)],
        "two": [("q3", 1)],
    }
    assert {name: [query.id for query in queries] for name, queries in only_here(at_two(ONE, TWO), 1).items()} == {
        "one": ["q1"],
        "two": ["q3"],
    }
    assert "Found by one alone" not in page(ONE).text


# -- slices and power --------------------------------------------------------------------------------------


def test_the_heat_map_says_number_and_n_and_the_step_of_a_small_slice() -> None:
    desk = Desk(fields={"q1": {"topic": "x"}, "q2": {"topic": "x"}, "q3": {"topic": "主題"}})
    groups = heat_map(list(at_two(ONE, TWO, desk=desk).values()))
    (everything,) = groups["all"]
    assert (everything.n, everything.step) == ("3", "0.333")
    assert [(cell.text, cell.shade) for cell in everything.cells] == [("0.667", 7), ("0.667", 7)]
    topics = {row.value: row for row in groups["topic"]}
    assert [cell.text for cell in topics["x"].cells] == ["1.000", "0.500"]
    assert [(cell.text, cell.shade) for cell in topics["主題"].cells] == [("0.000", 0), ("1.000", 10)]
    assert (topics["主題"].n, topics["主題"].step) == ("1", "1.000")


def test_power_is_told_for_every_slice_with_the_queries_that_would_halve_it() -> None:
    queries = {f"q{number:02}": (f"question {number}", "a") for number in range(40)}
    node = told("n", **{id_: "a" if number % 2 else "b" for number, id_ in enumerate(queries)})
    (scored,) = Desk(queries=queries).score(node, ks=[1])
    rows_ = {row.name: row for row in power_table(scored)}
    metrics = list(map(str, power_metrics(scored)))
    everything = rows_["all queries"]
    # Spread of 20 ones and 20 zeros: sqrt(20 x 0.5^2 x 2 / 39); (1.96 + 0.8416) x that / sqrt(40).
    assert everything.detectable[metrics.index("recall")] == "0.224"
    assert (everything.n, everything.more) == (40, 120)
    assert metrics == ["hit", "recall", "mrr", "ndcg", "map"]


def test_a_slice_in_which_nothing_could_be_shown_says_none() -> None:
    scored = at_two(ONE)["one"]
    assert {row.n: row.detectable[0] for row in power_table(scored)}[3] == "none"


@pytest.mark.parametrize("name", ["檢索", "$x$", "a\nb", "_x", "問題" * 60])
def test_any_name_of_a_retriever_is_shown_as_it_is(name: str) -> None:
    assert " ".join(name.split()) in page({**ONE, "name": name}).text
