"""Queries for a gap, from the words of what was found: relevance feedback without a model.

Each attempt at a gap looks from another side: with the words of the nearest passages beside the gap's own, then with
those words alone, then with the gap's content words alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from context.retrieval import Passage, Principal, Statistics
from text.negation import NEGATION
from text.stems import stem
from text.tokens import content_tokens, content_words

FEEDBACK_TERMS: Final = 6
PASSAGES: Final = 5
"""Nearest passages whose words are looked at."""
MIN_TERM_CHARS: Final = 2


def expansion(question: str, found: Sequence[Passage], statistics: Statistics, principal: Principal) -> list[str]:
    """The words that the passages share and most of the corpus does not, heaviest first, as one of them writes it.

    A term's weight is the number of passages that have it times its idf: Rocchio's centroid over binary term vectors
    (Relevance feedback in information retrieval, 1971). Left out are terms that only one document uses (its manner of
    speaking), terms that no other passage has (they lead nowhere new), parts of longer terms, and digits and negation:
    a query may not add what the asker did not say.
    """
    asked = set(content_tokens(question))
    spoken = {stem(word): word for passage in reversed(found) for word in reversed(content_words(passage.text))}
    words = [(passage.doc_id, set(content_tokens(passage.text))) for passage in found]
    passages = Counter(term for _, terms in words for term in terms)
    documents = Counter(term for term, _ in {(term, doc_id) for doc_id, terms in words for term in terms})
    shared = min(2, len({passage.doc_id for passage in found}))
    weight = {
        term: n * statistics.idf(term, principal)
        for term, n in passages.items()
        if documents[term] >= shared
        and statistics.document_frequency(term, principal) > n
        and term not in asked
        and _may_be_added(spoken[term])
    }
    heaviest = sorted(weight, key=lambda term: (-weight[term], term))
    return [spoken[term] for term in heaviest if not _is_part(term, heaviest)][:FEEDBACK_TERMS]


def queries_for_gap(text: str, attempt: int, terms: Sequence[str]) -> list[str]:
    """The queries of the given attempt at a gap, counted from 1; none when there is no side left to look from."""
    own = " ".join(dict.fromkeys(content_words(text)))
    found = " ".join(terms)
    sides = [f"{text} {found}", found, own] if terms else [own]
    return [side for side in sides[attempt - 1 : attempt] if side]


def _may_be_added(term: str) -> bool:
    return len(term) >= MIN_TERM_CHARS and term.isalpha() and not NEGATION.search(term)


def _is_part(term: str, terms: Sequence[str]) -> bool:
    return any(term != other and term in other for other in terms)
