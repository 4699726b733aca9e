"""What counts as a Chinese character, and the one form in which texts are compared."""

import unicodedata

# Inside a regular-expression class: the ideographs with their extensions, the iteration mark and the zero.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"


def normalised(text: str) -> str:
    """Return the text in NFKC, case folded: composed and decomposed, full-width and half-width forms meet."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def composed(text: str) -> str:
    """Return the text in NFKC with its case kept, for models that read case."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
