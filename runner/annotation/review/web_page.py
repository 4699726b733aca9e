"""A review in a browser: one page on this machine, which only whoever was told its address can open."""

import os
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runner.annotation.review.card import Cards
from runner.annotation.review.conversation import Conversation
from runner.errors import InputError
from runner.rendering.visible import visible

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.wrappers import Response

_HERE = "127.0.0.1"
# Another name that leads here may be a stranger's, who would have a browser send answers.
_NAMES = [_HERE, "localhost"]
_LONGEST = 100_000


@contextmanager
def web_page(cards: Cards, title: str, port: int = 0) -> Iterator[Conversation]:
    """Serve a review on loopback while the block holds it, and print where. port: 0 for one that is free.

    Raises InputError where the port cannot be had.
    """
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, type: str, message: str, *args: Any) -> None:
            """A review's terminal is no log of requests."""

    conversation, token = Conversation(cards), secrets.token_urlsafe(24)
    app = review_app(conversation, title, token)
    with _listening(port) as listening:
        number = listening.getsockname()[1]
        server = make_server(_HERE, number, app, threaded=True, request_handler=Quiet, fd=listening.fileno())
    thread = threading.Thread(target=server.serve_forever, name="review-page", daemon=True)
    thread.start()
    print(f"open in a browser on this machine: http://{_HERE}:{number}/{token}/", flush=True)
    print("q on the page, or Ctrl-C here, ends the review; every answer is kept as it is given", flush=True)
    try:
        yield conversation
    finally:
        conversation.end()
        server.shutdown()
        server.server_close()
        thread.join()


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((_HERE, port))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"port={port}: {reason}; leave it out to have one that is free") from None


def review_app(conversation: Conversation, title: str, token: str) -> "Flask":
    """The pages of a review. All stand below the token, so who does not know it can neither read nor answer."""
    from flask import Flask, g, redirect, render_template, request
    from werkzeug.exceptions import NotFound

    app = Flask(__name__, static_folder=None)
    app.config.update(TRUSTED_HOSTS=_NAMES, MAX_CONTENT_LENGTH=_LONGEST)
    app.jinja_env.filters["visible"] = visible

    @app.before_request
    def begin() -> None:
        conversation.serving(1)
        g.counted = True
        given = (request.view_args or {}).pop("token", "")
        if not secrets.compare_digest(str(given).encode(), token.encode()):
            raise NotFound
        g.nonce = secrets.token_urlsafe(16)

    @app.after_request
    def guard(response: "Response") -> "Response":
        nonce = g.get("nonce", "")
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        if g.get("counted"):
            response.call_on_close(lambda: conversation.serving(-1))
        return response

    def shown(late: bool = False) -> str:
        return render_template("review.html", view=conversation.view(), title=title, late=late, nonce=g.nonce)

    @app.get("/<token>/")
    def page() -> str:
        return shown("late" in request.args)

    @app.post("/<token>/")
    def answer() -> "Response | str":
        turn = request.form.get("turn", "")
        taken = re.fullmatch(r"[0-9]{1,9}", turn) and conversation.give(int(turn), request.form.get("answer", ""))
        if conversation.view().over:
            # Nothing is served any more, so this is the last page.
            return shown()
        # A page fetched anew, so that reloading it sends no answer again.
        return redirect("." if taken else "?late=1", 303)

    return app
