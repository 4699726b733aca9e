"""What counts as a Chinese character, and the one form in which texts are compared."""

import unicodedata

from retrievers.ignorable import seen

# Inside a regular-expression class: the ideographs with their extensions, the iteration mark and the zero.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"


def normalised(text: str) -> str:
    """Return what is seen of the text in NFKC, case folded: forms of one letter, narrow or wide, meet."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen(text)).casefold())


def composed(text: str) -> str:
    """Return what is seen of the text in NFKC with its case kept, for models that read case."""
    return text if text.isascii() else unicodedata.normalize("NFKC", seen(text))


def same_id(id_: str) -> str:
    """Return the one form of an id, in every reader: composed (NFC), without ignorable characters; case is kept.

    So ids meet that were typed on different systems, or copied with what nobody sees.
    """
    return id_ if id_.isascii() else unicodedata.normalize("NFC", seen(id_))
