"""Differences between two texts that turn nothing: where to read on, and a term as another language has it."""

import re
from collections.abc import Iterator

# In a sentence as `is_pointer` reads it, this stands for every link.
LINK = "\ufffc"
_PAGE = r"(?: (?:page|section|chapter|docs|documentation|guide|tutorial))?"
_POINTER = re.compile(
    rf"(?:(?:to (?:see|learn|read)|for (?:more|further|details|the full))\b[^,:;({LINK}]*, (?:please )?(?:check|read) "
    r"|(?:please )?(?:see|refer to|read more (?:in|on)|learn more (?:in|on)) )"
    rf"(?:also )?(?:the |our )?{LINK}{_PAGE}(?:(?:,| and|, and) (?:the )?{LINK}{_PAGE})*"
    rf"(?:, (?:they|it)\b[^:;({LINK}]*| for (?:more )?(?:details|information)| to learn more)?[.!]?"
    rf"|(?:(?:更多|詳細)(?:資訊|內容|說明|細節)?[，,]?)?(?:請?(?:參考|參見|參閱|參照)|詳見)\s*{LINK}(?:頁面|一節|章節|一章)?[。！]?",
    re.IGNORECASE,
)
# What a sentence with such a word says of others is more than where to read on.
_LIMITS = re.compile(
    r"\b(?:not?|never|none|nor|cannot|\w+n['’]t|only|except|unless|until|instead|but|however|if|longer|deprecated|removed"
    r"|replac\w+|supersed\w+|legacy|old|former(?:ly)?|previous(?:ly)?|was|were|without|un\w+|obsolete|outdated|withdrawn"
    r"|expired?|ends?|ended|current(?:ly)?|correct\w*|actual(?:ly)?|now|new(?:er|est)?|latest|today|wrong|mistake\w*|error"
    r"|errat\w+|disabled?|stop\w*|per|plan|tier|edition|version|beta|preview|optional|required|default)\b"
    r"|\d|[不沒無未非僅只除但卻舊已若新現改錯誤停廢]|棄用|取代|移除|目前|過時|過期|更正|正確",
    re.IGNORECASE,
)
# What begins so speaks of what was named last.
_REFERS = re.compile(
    r"\W*(?:it|its|they|them|their|this|that|these|those|there|here|such|both|each|all|either|neither|he|she|one)\b"
    r"|\W*[它他她牠其此這那該兩各皆均都]|\W*(?:上述|前述|以上|前者|後者)",
    re.IGNORECASE,
)
# A term of two words or more behind the Chinese one, where it is named: 這稱為終止代理 (Termination Proxy). Elsewhere,
# and as one word, it may be a condition: (Windows Server), (Beta).
_NAMES = re.compile(r"稱|叫[做作]|所謂|名為|譯為|術語")
_GLOSS = re.compile(r"(?<=[\u3400-\u9fff])\s*[（(][A-Z][a-zA-Z'-]*(?: [A-Z][a-zA-Z'-]*)+[)）]\s*")


def is_pointer(sentence: str, shown: str) -> bool:
    """Whether a sentence only says where to read on. shown: the same with LINK for every link."""
    return bool(_POINTER.fullmatch(shown)) and not _LIMITS.search(sentence)


def refers_back(sentence: str) -> bool:
    """Whether a sentence begins with a word for what was named before it."""
    return bool(_REFERS.match(sentence))


def same_but_for_a_gloss(one: str, other: str) -> bool:
    """Whether one is the other with translations of its terms; one that took another's place is a change."""
    shorter, longer = sorted((one, other), key=len)
    if not _NAMES.search(shorter):
        return False
    return _GLOSS.sub("", longer) == shorter and not any(map(_LIMITS.search, _GLOSS.findall(longer)))


_FOOTNOTE = re.compile(
    r"^[ \t]{0,3}\[\^(?P<name>[^\]\s]+)\]:(?P<text>.*(?:\n(?![ \t]{0,3}\[\^)(?:[ \t]*\S.*|[ \t]*(?=\n[ \t]+\S)))*)",
    re.MULTILINE,
)
_ABBREVIATION = re.compile(r"^[ \t]{0,3}\*\[(?P<name>[^\]\n]+)\]:(?P<text>.*)$", re.MULTILINE)

# A line that begins with a mark explains what has the mark behind it.
_MARKED = re.compile(
    r"^[ \t]*(?P<name>[†‡§※]+|[⁰¹²³⁴-⁹]+|(?:\\\*)+|[\[【（(]註 ?\w*[\]】）)])(?P<text>.*)$", re.MULTILINE
)
_OVERALL = re.compile(
    r"\b(?:this|the (?:rest|whole) of (?:this|the)) (?:page|document|article|guide|chapter)\b"
    r"|\b(?:all|every(?:thing)?|nothing|none|any(?:thing)?|each|what)\b.{0,40}\b(?:above|below)\b"
    r"|本頁|本文件|本章|本篇|全文|(?:以上|以下|上述|下列)(?:全部|所有|各[項節點]|內容|皆|均|都)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?](?=\s)|[。！？]|\n\s*\n")
_LINKS = re.compile(r"<[^<>]*>|(?<=\])(?:\([^()\s]*(?: [^()]*)?\)|\[[^\[\]]*\])")
_MARKUP = re.compile(r"[*_`\[\]]")


class Notes:
    """text: all of a page."""

    def __init__(self, text: str) -> None:
        self._marks: list[tuple[re.Pattern[str], str]] = []
        for note in _MARKED.finditer(text):
            name = rf"(?<=\S){re.escape(note['name'])}"
            self._marks.append((re.compile(name), " ".join(note["text"].split())))
        if "]:" not in text:
            return
        for note in _FOOTNOTE.finditer(text):
            self._marks.append((re.compile(re.escape(f"[^{note['name']}]") + "(?!:)"), " ".join(note["text"].split())))
        for note in _ABBREVIATION.finditer(text):
            name = rf"(?<!\w){re.escape(note['name'])}(?!\w)"
            self._marks.append((re.compile(name), " ".join(note["text"].split())))

    def of(self, text: str) -> Iterator[str]:
        """What the page says elsewhere of words in a piece of it."""
        return (said for mark, said in self._marks if mark.search(text))


def overall(text: str) -> Iterator[str]:
    """The sentences of a page, without markup, that speak of all of it, or of all that is above or below them."""
    sentences = (" ".join(_MARKUP.sub("", each).split()) for each in _SENTENCES.split(_LINKS.sub("", text)))
    return (each for each in sentences if _OVERALL.search(each))
