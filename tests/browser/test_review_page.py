"""Whom the page of a review answers, and that no answer is given twice: over HTTP, without a browser."""

import http.client
import re
from urllib.parse import urlencode, urlsplit

import pytest
from review_server import ReviewServer, reviewing
from review_world import QUERIES, World, 權杖


def fetch(
    address: str, answer: dict[str, str] | None = None, host: str | None = None
) -> tuple[int, str, dict[str, str]]:
    parts = urlsplit(address)
    assert parts.hostname and parts.port
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    headers = {"Content-Type": "application/x-www-form-urlencoded", **({"Host": host} if host else {})}
    body = urlencode(answer) if answer is not None else None
    connection.request("POST" if body is not None else "GET", parts.path, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, dict(response.getheaders())


def turn_of(text: str) -> str:
    found = re.search(r'name="turn" value="(\d+)"', text)
    assert found, text
    return found[1]


def give(server: ReviewServer, answer: str, turn: str | None = None) -> tuple[int, str, dict[str, str]]:
    turn = turn or turn_of(fetch(server.address)[1])
    return fetch(server.address, {"turn": turn, "answer": answer})


def test_only_who_knows_the_address_is_answered(world: World) -> None:
    world.migrated()
    with reviewing(world) as server:
        root = server.address.rsplit("/", 2)[0]
        token = server.address.rsplit("/", 2)[1]
        assert len(token) >= 32
        for wrong in (f"{root}/", f"{root}/{token[:-1]}/", f"{root}/{token}x/", f"{root}/%F0%9F%98%80/"):
            status, text, _ = fetch(wrong)
            assert (status, "Team" in text) == (404, False)
            status, _, _ = fetch(wrong, {"turn": "1", "answer": "y"})
            assert status == 404
        assert fetch(server.address)[0] == 200
    assert world.whats() == ["migrated", "proposed", "proposed", "gone"]


def test_a_strangers_name_for_this_machine_is_refused(world: World) -> None:
    world.migrated()
    with reviewing(world) as server:
        port = urlsplit(server.address).port
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}"):
            status, text, _ = fetch(server.address, host=host)
            assert (status, "Team" in text) == (404, False)
            assert fetch(server.address, {"turn": "1", "answer": "y"}, host)[0] == 404
        assert fetch(server.address, host=f"localhost:{port}")[0] == 200
    assert world.whats() == ["migrated", "proposed", "proposed", "gone"]


def test_the_page_loads_nothing_and_is_framed_and_kept_by_nobody(world: World) -> None:
    with reviewing(world) as server:
        _, text, headers = fetch(server.address)
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not re.search(r"(?:src|href)=", text)


def test_an_answer_to_an_earlier_question_changes_nothing(world: World) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        first = turn_of(fetch(server.address)[1])
        assert give(server, "y", first)[2]["Location"].endswith(".")
        before = world.record.path.read_bytes()
        for turn in (first, "0", "-1", "x", "", "9" * 40):
            status, _, headers = fetch(server.address, {"turn": turn, "answer": "n"})
            assert (status, headers["Location"]) == (303, "?late=1")
        assert world.record.path.read_bytes() == before
        assert "團隊有幾個權杖" in fetch(server.address)[1]


def test_every_answer_is_kept_before_the_next_question_is_shown(world: World) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        give(server, "s")
        give(server, "y")
        server.process.kill()
        assert world.said("zh-2") == [(權杖, 2, "bo")]


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "\u202e"]
)
def test_hostile_text_is_shown_as_text(world: World, text: str) -> None:
    hostile = {**QUERIES[0], "text": text, "language": text}
    hostile["relevant"] = [{**each, "note": text} if isinstance(each, dict) else each for each in hostile["relevant"]]
    world.write([hostile])
    with reviewing(world) as server:
        page = fetch(server.address)[1]
        assert "<h1 id=" in page
        assert text not in page if text[0] != "{" else "49" not in page
        assert page.count("<script") == 1


def test_a_port_that_is_taken_is_told_in_one_line(world: World) -> None:
    world.migrated()
    with reviewing(world) as server:
        port = urlsplit(server.address).port
        done = world.run("review", world.head, "web=true", f"port={port}")
    assert done.status == 2
    assert done.err == f"error: port={port}: Address already in use; leave it out to have one that is free\n"


def test_ctrl_c_ends_it_and_tells_what_is_left(world: World) -> None:
    world.migrated()
    with reviewing(world, "only=proposed") as server:
        give(server, "y")
        status, out = server.interrupt()
    assert status == 0, out
    assert "1 answered, 1 left" in out


def test_quitting_shows_a_last_page(world: World) -> None:
    with reviewing(world) as server:
        status, text, _ = give(server, "q")
        assert (status, "The review is over." in text) == (200, True)
        assert server.left()[0] == 0
