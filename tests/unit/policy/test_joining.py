from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from policy.joining import joined
from state import Doc


def hits(names: str, query: str = "q") -> list[Doc]:
    return [
        {
            "chunk_id": name,
            "doc_id": name,
            "version": "v",
            "title": name,
            "rank": rank,
            "score": 0.5,
            "lanes": [{"query": query, "lane": "keyword", "rank": rank, "score": 1.0}],
            "also_in": [query],
        }
        for rank, name in enumerate(names, start=1)
    ]


def test_one_search_stays_as_it_is() -> None:
    assert joined([hits("ab")], 1) == hits("ab")


def test_what_both_found_comes_first_with_every_place() -> None:
    both = joined([hits("abc", "x"), hits("cd", "y")], 9)
    assert [doc["chunk_id"] for doc in both] == ["c", "a", "b", "d"]
    assert [place["query"] for place in both[0]["lanes"]] == ["x", "y"]
    assert both[0].get("also_in") == ["x", "y"]


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True).map("".join)


@given(st.lists(NAMES, min_size=2, max_size=4), st.integers(1, 8))
def test_each_chunk_stands_once_ranked_from_one(found: list[str], top_k: int) -> None:
    docs = joined([hits(names, str(n)) for n, names in enumerate(found)], top_k)
    everything = set("".join(found))
    assert len({doc["chunk_id"] for doc in docs}) == len(docs) == min(top_k, len(everything))
    assert [doc["rank"] for doc in docs] == list(range(1, len(docs) + 1))
    assert [doc["score"] for doc in docs] == sorted((doc["score"] for doc in docs), reverse=True)
