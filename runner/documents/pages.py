"""Read a folder of pages: Markdown, HTML, plain text and whatever else has a reader."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner.documents.document import Document, Documents, Normalization
from runner.documents.found import find_pages
from runner.documents.kinds import SUFFIXES, kind_of_page
from runner.documents.markdown_outline import first_title
from runner.documents.outline import Outline
from runner.documents.page import Page
from runner.documents.passed import passed_words
from runner.errors import InputError, Problem
from runner.files.reading import id_fault

PATTERNS = tuple(f"*{suffix}" for suffix in SUFFIXES)


@dataclass(frozen=True)
class Pages:
    """path: a folder, searched to any depth, or one page. include: patterns of file names; hidden names are skipped.

    An id is the path below the folder, with `/`. The title is the front matter's, else the first heading of level 1,
    else what the file calls itself elsewhere (HTML's `<title>`), else the file's stem.
    """

    path: str | Path
    include: Sequence[str] = PATTERNS
    normalization: Normalization = field(default_factory=Normalization)

    def sources(self) -> list[Path]:
        """The pages that are read. Raises InputError as `read` does for a folder that is not there."""
        return [path for _, path in find_pages(Path(self.path), self.include).pages]

    def read(self) -> Documents:
        """Return the pages sorted by id, and what was passed over. Front matter becomes fields.

        Raises InputError: nothing there, no page found, or every page that cannot be read, by file and line.
        """
        from runner.rendering.progress import progress_bar

        root = Path(self.path)
        found = find_pages(root, self.include)
        if not found.pages:
            patterns = ", ".join(self.include)
            passed = f"; {passed_words(found.passed)}" if found.passed else ""
            raise InputError(
                f"{root}: holds no page; looked for {patterns} (corpus.include), hidden names apart{passed}"
            )
        documents: list[Document] = []
        problems: list[Problem] = []
        path_of: dict[str, Path] = {}
        for id_, path in progress_bar(found.pages, desc=f"reading {root.name}", unit=" pages", leave=False):
            own: list[Problem] = []
            if fault := id_fault(id_):
                own.append(Problem(None, f"file name {fault}"))
            elif id_ in path_of:
                own.append(Problem(None, f"has the same id as {path_of[id_].name!r} ({id_!r}, composed); rename one"))
            path_of.setdefault(id_, path)
            document = self._document(id_, path, own)
            if document and not own:
                documents.append(document)
            for each in own:
                place = f"{id_}:{each.line}" if each.line else id_
                problems.append(Problem(None, f"{place}: {each.message}"))
        if problems:
            raise InputError.of(root, problems)
        return Documents(sorted(documents, key=lambda document: document.id), found.passed)

    def _document(self, id_: str, path: Path, problems: list[Problem]) -> Document | None:
        try:
            page = kind_of_page(path.name).load()(path.read_bytes(), problems)
        except OSError as error:
            problems.append(Problem(None, f"cannot be read ({error.strerror}); expected a page"))
            return None
        except InputError as error:
            problems.append(Problem(None, str(error)))
            return None
        if page is None:
            return None
        fields = self.normalization.value(page.fields)
        title = fields.get("title")
        if title is not None and not isinstance(title, str | int | float):
            problems.append(Problem(None, "front matter: title must be text"))
            return None
        text, layout = self._content(page)
        heading = _first_heading(text, layout) if page.headed else ""
        candidates = (str(title or ""), heading, page.title, path.stem)
        named = next(filter(None, map(self.normalization.title, candidates)), "")
        return Document(id_, named, text, fields, layout)

    def _content(self, page: Page) -> tuple[str, Outline | None]:
        if isinstance(page.content, str):
            return self.normalization.text(page.content), None
        return page.content.laid_out(self.normalization)


def _first_heading(text: str, layout: Outline | None) -> str:
    if layout is None:
        return first_title(text)
    return next((heading.title for heading in layout.headings if heading.level == 1), "")
