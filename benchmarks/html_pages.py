"""Compare what is read from HTML pages with what a browser shows of them.

    python benchmarks/html_pages.py FOLDER [FOLDER ...] [--pages 60] [--show 20] [--styled]

Needs Chromium and its driver (Debian: chromium, chromium-driver). Each page is opened without a network; what is left
out on purpose is taken out of it there, too, and everything that can be unfolded is unfolded. Then its `innerText` has
to be the document's text, word by word, and to hold the text of every passage.
"""

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Indel

from runner.chunkers import Heading
from runner.documents import Document, Pages

# Style sheets may change letters and hide parts: a reader of files knows only what the page itself says.
_SHOWN = """
if (!arguments[0]) for (const sheet of document.styleSheets) sheet.disabled = true;
const left = 'nav, [role=navigation], noscript, template, textarea, object, dialog:not([open])';
document.querySelectorAll(left).forEach(each => each.remove());
document.querySelectorAll('a[href*="#"]').forEach(each => {
  const text = each.textContent.trim(), marked = text && !/[\\p{L}\\p{N}]/u.test(text);
  if (text === '¶' || (marked && each.closest('h1, h2, h3, h4, h5, h6, dt'))) each.remove();
});
document.querySelectorAll('details').forEach(each => each.open = true);
document.querySelectorAll('[hidden=until-found]').forEach(each => each.removeAttribute('hidden'));
return document.body ? document.body.innerText : '';
"""


class Browser:
    """A headless Chromium that is told what to do through its driver."""

    def __init__(self, port: int, profile: str) -> None:
        self._root = f"http://127.0.0.1:{port}"
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={profile}",
            "--window-size=1400,1000",
        ]
        options = {"binary": shutil.which("chromium"), "args": flags}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "pageLoadStrategy": "normal"}}}
        self._session = self._ask("POST", "/session", wanted)["sessionId"]

    def inner_text(self, path: Path, styled: bool) -> str:
        """What the browser shows of a page that lies on disk."""
        own = f"/session/{self._session}"
        self._ask("POST", f"{own}/url", {"url": path.resolve().as_uri()})
        for _ in range(20):
            shown = str(self._ask("POST", f"{own}/execute/sync", {"script": _SHOWN, "args": [styled]}))
            if shown.strip():
                break
            # A page that is still being laid out shows nothing.
            time.sleep(0.2)
        return shown

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", f"/session/{self._session}")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._root}{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium for as long as it is needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as profile:
        driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            for _ in range(100):
                with socket.socket() as there:
                    if there.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            found = Browser(port, profile)
            try:
                yield found
            finally:
                found.close()
        finally:
            driver.terminate()
            driver.wait()


def passages_of(document: Document) -> list[str]:
    """The texts of a page's passages."""
    return [document.text[chunk.start : chunk.end] for chunk in Heading().split(document)]


def difference(shown: str, read: str) -> list[str]:
    """Every stretch of words that is in one of two texts only, with what stands before it."""
    ours, theirs = read.split(), shown.split()
    found = []
    for what, a, b, c, d in Indel.opcodes(theirs, ours):
        if what != "equal":
            before = " ".join(theirs[max(0, a - 3) : a])
            found.append(f"... {before} [shown: {' '.join(theirs[a:b])!r}] [read: {' '.join(ours[c:d])!r}]")
    return found


def main() -> int:
    """Compare, and say how many pages and passages agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=60, help="at most so many of each folder")
    parser.add_argument("--show", type=int, default=20, help="so many differences are printed")
    parser.add_argument("--styled", action="store_true", help="let style sheets hide parts and change letters")
    parsed = parser.parse_args()
    pages = same = spaced = passages = held = 0
    differences: list[str] = []
    with browser() as shows:
        for folder in parsed.folders:
            for document in Pages(folder, include=["*.html", "*.htm"]).read()[: parsed.pages]:
                shown = shows.inner_text(folder / document.id, parsed.styled)
                pages += 1
                same += shown.split() == document.text.split()
                spaced += "".join(shown.split()) == "".join(document.text.split())
                words, texts = f" {' '.join(shown.split())} ", passages_of(document)
                passages += len(texts)
                held += sum(" ".join(text.split()) in words for text in texts)
                print(f"{document.id}: {len(shown):,} characters", file=sys.stderr, flush=True)
                differences += [f"{document.id}: {each}" for each in difference(shown, document.text)]
    print(f"{pages} pages: {same} equal word by word, {spaced} equal but for white space")
    print(f"{passages:,} passages: {held:,} stand word by word in what the browser shows")
    for each in differences[: parsed.show]:
        print(each)
    return 0 if same == pages else 1


if __name__ == "__main__":
    sys.exit(main())
