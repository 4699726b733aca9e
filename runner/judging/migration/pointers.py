"""Differences between two texts that turn nothing: where to read on, and a term as another language has it."""

import re

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
