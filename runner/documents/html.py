"""Turn an HTML page into Markdown, so that one chunker serves both."""

import warnings
from dataclasses import dataclass

# What a page repeats or hides; none of it answers a question about this page.
_NOT_CONTENT = ("script", "style", "nav", "head", "noscript", "template")


@dataclass(frozen=True)
class HtmlPage:
    """title: the text of `<title>`, or empty. markdown: the body with ATX headings and pipe tables."""

    title: str
    markdown: str


def html_to_markdown(html: str) -> HtmlPage:
    """Convert one page; scripts, styles and navigation are dropped, characters are not escaped."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    with warnings.catch_warnings():
        # A page that is a bare path or XML is still read as HTML: the file's name said so.
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(html, "html.parser")
    title = soup.title.get_text() if soup.title else ""
    for tag in soup(list(_NOT_CONTENT)):
        tag.decompose()
    for cell in soup(["td", "th"]):
        for string in cell.find_all(string=lambda text: "|" in text):
            string.replace_with(string.replace("|", "\\|"))
    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    return HtmlPage(title, str(converter.convert_soup(soup)))
