"""Read reStructuredText, also that of Sphinx, whose directives and roles docutils does not know."""

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, directives, roles

from runner.documents.html import read_html
from runner.documents.html_elements import names
from runner.documents.markdown import read_front_matter
from runner.documents.page import Page
from runner.errors import InputError, Problem

_SETTINGS = {
    # A page may bring HTML of its own, but read no other file.
    "file_insertion_enabled": False,
    "raw_enabled": True,
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "initial_header_level": 1,
    "report_level": 3,
    "halt_level": 5,
    "warning_stream": False,
    "syntax_highlight": "none",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "stylesheet": None,
    "math_output": "LaTeX",
    "output_encoding": "unicode",
}
_DIRECTIVE = re.compile(r"^[ \t]*\.\. (?:\|[^|\n]+\| )?(?P<name>[\w.:+-]*[\w+-])::(?:\s|$)", re.MULTILINE)
_ROLE = re.compile(r":(?P<name>[A-Za-z][\w.:+-]{0,60}):`|`:(?P<after>[A-Za-z][\w.:+-]{0,60}):")
_TITLED = re.compile(r"(?P<title>.*\S)\s*<[^<>]*>\Z", re.DOTALL)
# They show nothing of their own, or nothing that stands in this file.
_SILENT = names(
    "toctree index highlight currentmodule module py:module py:currentmodule default-domain tabularcolumns "
    "sectionauthor codeauthor automodule autoclass autofunction automethod autodata autoattribute autoexception "
    "literalinclude include bibliography"
)
_CODE = ("code-block", "sourcecode", "code", "prompt", "parsed-literal", "doctest", "testcode", "testoutput", "ipython")


def read_rst(data: bytes, problems: list[Problem]) -> Page | None:
    """The page as docutils sets it; of unknown directives and roles the words stay. Raises InputError."""
    front = read_front_matter(data, problems, only_yaml=True)
    if front is None:
        return None
    _make_known(front.body)
    try:
        tree = publish_doctree(front.body, settings_overrides=_SETTINGS)
        _keep_what_was_not_understood(tree)
        html = publish_from_doctree(tree, writer="html5", settings_overrides=_SETTINGS)
    except RecursionError:
        raise InputError("is nested too deeply; expected a page in reStructuredText") from None
    except Exception as error:
        # docutils answers some malformed pages with errors of any kind.
        raise InputError(f"docutils cannot read it ({type(error).__name__}: {error})") from error
    page = read_html(str(html))
    return Page(page.lines, fields=front.fields)


class _AnyOption(dict[str, Any]):
    """Takes every option of a directive as text."""

    def __missing__(self, key: str) -> Any:
        return directives.unchanged

    def __bool__(self) -> bool:
        return True


class _Unknown(Directive):  # type: ignore[misc]
    """A directive that docutils does not know: its argument is a paragraph, its content is read like any other."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption()

    def run(self) -> list[nodes.Node]:
        if self.name in _SILENT:
            return []
        found = nodes.container()
        if self.arguments and self.name != "only":
            words, messages = self.state.inline_text(self.arguments[0], self.lineno)
            found += [nodes.paragraph("", "", *words), *messages]
        self.state.nested_parse(self.content, self.content_offset, found)
        return [found]


class _Code(_Unknown):
    """Code, whatever options it has."""

    def run(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        return [nodes.literal_block(text, text)] if text else []


def _words(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """A role that docutils does not know: the words that it shows."""
    text = text.replace("\x00", "")
    titled = _TITLED.match(text)
    shown = titled["title"] if titled else text.lstrip("!")
    if shown.startswith("~"):
        shown = shown[1:].rpartition(".")[2]
    return [nodes.inline(rawtext, shown)], []


def _make_known(text: str) -> None:
    for found in _DIRECTIVE.finditer(text):
        name = found["name"].lower()
        if name in _CODE:
            directives.register_directive(name, _Code)
        elif name not in directives._directive_registry and name not in directives._directives:
            directives.register_directive(name, _Unknown)
    for found in _ROLE.finditer(text):
        name = (found["name"] or found["after"]).lower()
        if name not in roles._role_registry and name not in roles._roles:
            roles.register_canonical_role(name, _words)


def _keep_what_was_not_understood(tree: nodes.document) -> None:
    """In the place of an error message comes the text that it is about."""
    for message in list(tree.findall(nodes.system_message)):
        refused = "directive disabled" in message.astext()
        kept = [child for child in message.children if isinstance(child, nodes.literal_block) and not refused]
        message.parent.replace(message, kept)
    for section in list(tree.findall(nodes.section)):
        if "system-messages" in section["classes"]:
            section.parent.remove(section)
