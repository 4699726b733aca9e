"""Read pages that are text already: Markdown, Markdown with components, plain text."""

import re

from runner.documents.charset import decode_page
from runner.documents.data_uris import without_data_uris
from runner.documents.fences import code_and_rest
from runner.documents.front_matter import FrontMatter, split_front_matter
from runner.documents.page import Page
from runner.errors import Problem

# An import or export statement of MDX: it opens a line at the left margin and goes on to the next empty line.
_STATEMENT = re.compile(
    r"^(?:import\s*(?:['\"]|[\w*{][^'\";]{0,2000}?\sfrom\s*['\"]).*|export\s+(?:default|const|let|var|function|class|async|\{|\*).*)\n?(?:.*\S.*\n?)*",
    re.MULTILINE,
)
_COMMENT = re.compile(r"\{/\*.*?\*/\}", re.DOTALL)


def read_markdown(data: bytes, problems: list[Problem]) -> Page | None:
    """A page in Markdown, which the chunkers read themselves; data URIs are left out."""
    front = read_front_matter(data, problems)
    return None if front is None else Page(without_data_uris(front.body), fields=front.fields)


def read_mdx(data: bytes, problems: list[Problem]) -> Page | None:
    """Markdown with components: import and export statements and comments are left out, tags stay as in Markdown."""
    front = read_front_matter(data, problems)
    if front is None:
        return None
    parts = (part if code else _shown(part) for part, code in code_and_rest(front.body))
    return Page(without_data_uris("".join(parts)), fields=front.fields)


def _shown(mdx: str) -> str:
    # Behind the last end of a comment no comment is sought: each would be followed to the end of the page.
    commented, end, rest = _STATEMENT.sub("", mdx).rpartition("*/}")
    return _COMMENT.sub("", commented + end) + rest


def read_plain(data: bytes, problems: list[Problem]) -> Page | None:
    """A page without any markup; a YAML block may open it all the same."""
    front = read_front_matter(data, problems, only_yaml=True)
    return None if front is None else Page(front.body, fields=front.fields, headed=False)


def read_front_matter(
    data: bytes, problems: list[Problem], *, declared: bool = False, only_yaml: bool = False
) -> FrontMatter | None:
    """Decode a page, make its line ends LF and take its front matter off."""
    text = decode_page(data, problems, declared=declared)
    if text is None:
        return None
    return split_front_matter(text.replace("\r\n", "\n").replace("\r", "\n"), problems, only_yaml=only_yaml)
