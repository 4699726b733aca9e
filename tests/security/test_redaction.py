"""Secrets are neither shown nor stored."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from decide_office import Desk, Office
from engine_world import double
from tampering import put, tamper

from runner.cli import compare, rerun
from runner.cli.entry import leave
from runner.errors import ConfigError
from runner.rendering.redaction import MASK, redacted, without_secrets, yaml_without_secrets
from runner.tracking.mlflow_store import ui_command


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("http://me:secret@127.0.0.1:5999", "http://***@127.0.0.1:5999"),
        ("http://TOKEN@host/x", "http://***@host/x"),
        ("see https://me:p@ss@host:1/a/b, and", "see https://***@host:1/a/b, and"),
        ("postgresql://u:p/a?s#s@db/x", "postgresql://***@db/x"),
        ("https://金鑰:密碼@主機/頁", "https://***@主機/頁"),
        ("git clone https://x-access-token:ghp_abc@github.com/a/b.git", "git clone https://***@github.com/a/b.git"),
        ("http://host/?api_key=abc&k=5", "http://host/?api_key=***&k=5"),
        (
            "https://b.s3.amazonaws.com/f?X-Amz-Signature=aa11&X-Amz-Credential=AK/1&x=1",
            "https://b.s3.amazonaws.com/f?X-Amz-Signature=***&X-Amz-Credential=***&x=1",
        ),
        ("https://blob/c?sv=1&sig=aGVsbG8%3D", "https://blob/c?sv=1&sig=***"),
        ("failed: retriever.api_key=sk-12 k=3: no", "failed: retriever.api_key=*** k=3: no"),
        ("+retriever.url.password=x", "+retriever.url.password=***"),
        # What is none stays as it is.
        ("http://host:5000/#/experiments/a@b", "http://host:5000/#/experiments/a@b"),
        ("sqlite:////tmp/a@b/mlflow.db", "sqlite:////tmp/a@b/mlflow.db"),
        ("mail me@example.com about tokens=5 and key=title", "mail me@example.com about tokens=5 and key=title"),
        ("max_tokens=300 tokenizer=x", "max_tokens=300 tokenizer=x"),
        ("http://host/?page=2&keyword=rate", "http://host/?page=2&keyword=rate"),
        ("/#/experiments/1/runs?viewStateShareKey=2026&x=1", "/#/experiments/1/runs?viewStateShareKey=2026&x=1"),
        ("retriever.token=${oc.env:TOKEN}", "retriever.token=${oc.env:TOKEN}"),
        ("怎麼更換存取金鑰？", "怎麼更換存取金鑰？"),
    ],
)
def test_a_secret_is_taken_out_and_nothing_else(text: str, wanted: str) -> None:
    assert redacted(text) == wanted
    assert redacted(wanted) == wanted


@pytest.mark.parametrize("name", ["MLFLOW_TRACKING_TOKEN", "DB_PASSWORD", "APP_SECRET", "OPENAI_API_KEY"])
def test_what_the_environment_holds_as_a_secret_is_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "very-secret-0815")
    monkeypatch.setenv("SOME_TOKENS", "not-a-secret-at-all")
    assert redacted("x very-secret-0815 not-a-secret-at-all") == f"x {MASK} not-a-secret-at-all"
    monkeypatch.setenv(name, "5")
    assert redacted("k=5") == "k=5"


def test_settings_lose_the_values_under_the_name_of_a_secret() -> None:
    values = {"a": [{"api_key": "x", "token": None, "k": 5, "url": "http://a:b@c"}], "password": "", "tokens": "y"}
    assert without_secrets(values) == {
        "a": [{"api_key": MASK, "token": None, "k": 5, "url": f"http://{MASK}@c"}],
        "password": "",
        "tokens": "y",
    }


def test_the_text_of_a_configuration_without_secrets_stays_as_it_is() -> None:
    text = "# source\nk: ${three}   # 三\nretriever: {name: 甲}\n"
    assert yaml_without_secrets(text) == text
    assert yaml.safe_load(yaml_without_secrets("token: 'a b'\nk: ${x}\n")) == {"token": MASK, "k": "${x}"}


@pytest.fixture
def asked() -> Iterator[tuple[int, list[str]]]:
    """A server that refuses everything, and what it was told of who asks."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Authorization", ""))
            self.send_response(403)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, seen
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_password_of_a_server_is_used_and_not_shown(desk: Desk, asked: tuple[int, list[str]]) -> None:
    port, seen = asked
    done = desk(compare.main, "a", "b", f"tracking.uri=http://me:hush-hush@127.0.0.1:{port}")
    assert done.status
    assert "hush" not in done.out + done.err
    assert f"http://{MASK}@127.0.0.1:{port}" in done.err
    assert seen
    assert set(seen) == {"Basic bWU6aHVzaC1odXNo"}


def test_where_nothing_listens_the_password_is_not_shown_either(desk: Desk) -> None:
    done = desk(rerun.main, "a", "tracking.uri=http://me:hush-hush@127.0.0.1:9")
    assert (done.status, "hush" in done.out + done.err, "127.0.0.1:9" in done.err) == (2, False, True)
    assert ui_command("http://me:hush-hush@host:1") == f"open http://{MASK}@host:1"


def test_a_run_stores_no_secret(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_API_KEY", "from-the-environment")
    retriever = double("Counting", log="", nothing_for="https://me:hush-hush@search/?token=abc123 from-the-environment")
    run_id = office.log(retriever)
    run = office.run(run_id)
    stored = str(run.to_dictionary()) + "".join(
        path.read_text("utf-8", "replace") for path in office.files_of(run_id).rglob("*") if path.is_file()
    )
    for secret in ("hush-hush", "abc123", "from-the-environment"):
        assert secret not in stored
    assert run.data.params["stage.counting.nothing_for"] == f"https://{MASK}@search/?token={MASK} {MASK}"


def test_what_was_stored_without_its_secret_is_asked_for(office: Office, desk: Desk) -> None:
    run_id = office.log(double("Counting", nothing_for="https://me:hush-hush@search/"))
    # As the command stores it; a program that calls the runner gives no source.
    tamper(office, run_id, put("seed", 13))
    done = desk(rerun.main, run_id, office.place, "trust=engine_doubles")
    assert done.status == 2
    assert "retriever.nothing_for was stored without the secret in it; give it again" in done.err
    again = desk(
        rerun.main, run_id, office.place, "trust=engine_doubles", "retriever.nothing_for=https://me:hush-hush@search/"
    )
    assert again.status == 0, again.err
    assert "hush" not in again.out + again.err
    assert "identical: " in again.out


def test_an_error_shows_no_secret(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def action() -> int:
        print("look at http://me:hush@host")
        raise ConfigError("cannot reach http://me:hush@host?key=abc")

    with pytest.raises(SystemExit):
        leave(action)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (
        f"look at http://{MASK}@host\n",
        f"error: cannot reach http://{MASK}@host?key={MASK}\n",
    )
