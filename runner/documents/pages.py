"""Read a folder of Markdown, HTML and plain text pages."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from retrievers.script import same_id
from runner.documents.document import Document, Normalization
from runner.documents.front_matter import split_front_matter
from runner.documents.html import html_to_markdown
from runner.errors import InputError, Problem
from runner.formats.markdown_outline import first_title
from runner.formats.reading import decode, id_fault, read_bytes

_HTML = (".html", ".htm")
_PLAIN = (".txt",)


@dataclass(frozen=True)
class Pages:
    """path: a folder, searched to any depth, or one page. include: patterns of file names; hidden names are skipped.

    An id is the path below the folder, with `/`. The title is the front matter's, else the first heading of level 1,
    else (HTML) the page's `<title>`, else the file's stem.
    """

    path: str | Path
    include: Sequence[str] = ("*.md", "*.html", "*.htm", "*.txt")
    normalization: Normalization = field(default_factory=Normalization)

    def read(self) -> list[Document]:
        """Return the pages sorted by id. HTML becomes Markdown; front matter becomes fields.

        Raises InputError: nothing there, no page found, or every page that cannot be read, by file and line.
        """
        from tqdm import tqdm

        root = Path(self.path)
        found = self._find(root)
        if not found:
            patterns = ", ".join(self.include)
            raise InputError(f"{root}: holds no page; looked for {patterns} (corpus.include), hidden names apart")
        documents: list[Document] = []
        problems: list[Problem] = []
        path_of: dict[str, Path] = {}
        for id_, path in tqdm(found, desc=f"reading {root.name}", unit=" pages", disable=None, leave=False):
            own: list[Problem] = []
            if fault := id_fault(id_):
                own.append(Problem(None, f"file name {fault}"))
            elif id_ in path_of:
                own.append(Problem(None, f"has the same id as {path_of[id_].name!r} ({id_!r}, composed); rename one"))
            path_of.setdefault(id_, path)
            document = self._page(id_, path, own)
            if document and not own:
                documents.append(document)
            for each in own:
                place = f"{id_}:{each.line}" if each.line else id_
                problems.append(Problem(None, f"{place}: {each.message}"))
        if problems:
            raise InputError.of(root, problems)
        return sorted(documents, key=lambda document: document.id)

    def _find(self, root: Path) -> list[tuple[str, Path]]:
        if root.is_file():
            return [(same_id(root.name), root)]
        if not root.is_dir():
            raise InputError(f"{root}: not found; expected a folder of pages, or one page (corpus.path)")
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                relative = path.relative_to(root).as_posix()
                if not name.startswith(".") and self._included(relative):
                    found.append((same_id(relative), path))
        return found

    def _included(self, relative: str) -> bool:
        lowered = PurePosixPath(relative.lower())
        return any(lowered.match(pattern.lower()) for pattern in self.include)

    def _page(self, id_: str, path: Path, problems: list[Problem]) -> Document | None:
        text = decode(read_bytes(path, "a page"), problems)
        if text is None:
            return None
        front = split_front_matter(text.replace("\r\n", "\n").replace("\r", "\n"), problems)
        body, kind, html_title = front.body, path.suffix.lower(), ""
        if kind in _HTML:
            page = html_to_markdown(body)
            body, html_title = page.markdown, page.title
        body = self.normalization.text(body)
        fields = self.normalization.value(front.fields)
        title = fields.get("title")
        if title is not None and not isinstance(title, str | int | float):
            problems.append(Problem(None, "front matter: title must be text"))
            return None
        heading = "" if kind in _PLAIN else first_title(body)
        candidates = (str(title or ""), heading, html_title, path.stem)
        named = next(filter(None, map(self.normalization.title, candidates)), "")
        return Document(id_, named, body, fields)
