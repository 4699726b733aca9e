"""A review as a person holds it in a browser: keys, undo, lines of text, two tabs, two people, Chinese."""

from pathlib import Path
from typing import Any

from review_server import reviewing
from review_world import HOOKS, MESSAGES, NEW, TOKENS, World, 權杖


def question(page: Any) -> str:
    return str(page.locator("#question").inner_text())


def press(page: Any, key: str) -> None:
    """Press a key and wait for the page that it brings."""
    with page.expect_navigation():
        page.keyboard.press(key)


def key_event(page: Any, key: str, code: str) -> None:
    """What a browser tells a page of a key, where an input method has its hands in it."""
    page.evaluate("init => dispatchEvent(new KeyboardEvent('keydown', init))", {"key": key, "code": code})


def test_a_review_from_the_first_key_to_the_last(world: World, page: Any, tmp_path: Path) -> None:
    world.migrated()
    with reviewing(world) as server:
        page.goto(server.address)
        assert page.title().startswith("1 of 4")
        assert question(page) == "And on Team?"
        assert page.locator(".turn").inner_text() == "How many tokens?"
        assert (page.locator("del").inner_text().strip(), page.locator("ins").inner_text().strip()) == ("5", "20")
        assert TOKENS in page.locator(".label").inner_text()
        assert "Tokens" in page.locator(".title").inner_text()
        page.screenshot(path=tmp_path / "proposed.png")

        press(page, "y")
        assert world.record.entries()[-1].what == "confirmed"
        assert question(page) == "團隊有幾個權杖？"
        page.screenshot(path=tmp_path / "chinese.png")

        press(page, "e")
        page.keyboard.type("只剩一部分")
        press(page, "Enter")
        assert "只剩一部分" in page.locator(".note").inner_text()
        press(page, "1")
        assert world.said("zh-2") == [(權杖, 1, "bo")]
        assert world.query("zh-2").every_judgment[0].note == "只剩一部分"

        press(page, "u")
        assert "taken back" in page.locator(".said").inner_text()
        assert world.said("zh-2") == []
        press(page, "s")

        assert HOOKS in page.locator(".was").inner_text()
        press(page, "i")
        page.keyboard.type("en/retry.md#waitin")
        page.screenshot(path=tmp_path / "line.png")
        press(page, "Enter")
        assert f"snapshot {NEW.id} holds no passage" in page.locator(".said").inner_text()
        press(page, "i")
        press(page, "Escape")
        press(page, "n")

        assert world.said("en-2") == [(TOKENS, 2, "bo")]
        assert "amy: 1 (no headers)" in page.locator(".others").inner_text()
        page.screenshot(path=tmp_path / "disputed.png")
        press(page, "1")
        assert world.said("en-1")[-1] == (MESSAGES, 1, "bo")
        assert page.locator("h1").inner_text() == "Nothing is left to ask."
        press(page, "q")
        assert page.locator("h1").inner_text() == "The review is over."
        status, out = server.left()
    assert status == 0
    assert "3 answered, 1 left (1 skipped)" in out


def test_buttons_do_what_keys_do_and_full_width_keys_are_the_narrow_ones(world: World, page: Any) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        page.goto(server.address)
        with page.expect_navigation():
            page.get_by_role("button", name="skip for now").click()
        with page.expect_navigation():
            key_event(page, "ｙ", "KeyY")
        assert world.said("zh-2") == [(權杖, 2, "bo")]


def test_an_input_method_that_keeps_the_letter_to_itself_still_says_which_key(world: World, page: Any) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        page.goto(server.address)
        press(page, "s")
        with page.expect_navigation():
            page.evaluate(
                "dispatchEvent(new KeyboardEvent('keydown', {key: 'Process', code: 'Digit1', bubbles: true}))"
            )
        assert world.said("zh-2") == [(權杖, 1, "bo")]


def test_a_key_held_down_answers_once(world: World, page: Any) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        page.goto(server.address)
        with page.expect_navigation():
            for _ in range(3):
                page.keyboard.down("y")
        assert question(page) == "團隊有幾個權杖？"
        page.keyboard.down("y")
        page.keyboard.up("y")
        page.reload()
        assert question(page) == "團隊有幾個權杖？"
        assert world.said("zh-2") == []


def test_of_a_grade_with_two_digits_the_first_is_no_answer(world: World, page: Any) -> None:
    with reviewing(world, "grades=12") as server:
        page.goto(server.address)
        before = world.record.entries()
        for key in "12":
            page.keyboard.press(key)
        page.reload()
        assert world.record.entries() == before
        with page.expect_navigation():
            page.locator("button[data-key='12']").click()
        assert (world.record.entries()[-1].what, world.said("en-1")[-1]) == ("adjudicated", (MESSAGES, 12, "bo"))


def test_a_second_tab_answers_no_question_that_the_first_has(world: World, page: Any) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        page.goto(server.address)
        other = page.context.new_page()
        other.goto(server.address)
        press(page, "y")
        press(other, "n")
        assert "answered already" in other.locator(".notice").inner_text()
        assert question(other) == "團隊有幾個權杖？"
        assert world.whats()[-1] == "confirmed"
        press(other, "y")
        assert world.said("zh-2") == [(權杖, 2, "bo")]


def test_going_back_and_reloading_give_no_answer_again(world: World, page: Any) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        page.goto(server.address)
        press(page, "y")
        entries = world.record.entries()
        page.reload()
        page.go_back()
        page.reload()
        assert world.record.entries() == entries
        assert question(page) == "團隊有幾個權杖？"


def test_two_people_at_once_keep_each_others_answers(world: World, page: Any, browser: Any) -> None:
    world.migrated()
    with (
        reviewing(world, "only=proposed") as first,
        reviewing(world, "only=proposed", annotator="cy") as second,
    ):
        page.goto(first.address)
        other = browser.new_page()
        other.goto(second.address)
        press(page, "2")
        press(other, "0")
        assert "bo answered this, too; both answers are kept" in other.locator(".said").inner_text()
        other.close()
    assert [entry.by for entry in world.record.entries()[-2:]] == ["bo", "cy"]


def test_a_dark_and_narrow_window_shows_all_of_it(world: World, browser: Any, tmp_path: Path) -> None:
    world.migrated()
    with reviewing(world) as server:
        context = browser.new_context(color_scheme="dark", viewport={"width": 420, "height": 800})
        page = context.new_page()
        page.goto(server.address)
        colours = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth]"
        )
        assert colours == ["rgb(22, 24, 27)", 420]
        page.screenshot(path=tmp_path / "dark-and-narrow.png")
        context.close()
