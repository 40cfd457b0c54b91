"""What an answer says of the sources that it did not follow: each yielded to one that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from state import Evidence, Language, LedgerEntry, Outdated
from text.citing import unmarked

FOLLOWED: Final[dict[Language, str]] = {
    "zh": "以上依据“{winner}”{since}[{number}]，{loser}。",
    "en": 'This follows "{winner}"{since} [{number}]; {loser}.',
}
SINCE: Final[dict[Language, str]] = {"zh": "（自{since}起施行）", "en": ", in force since {since}"}
YIELDED: Final[dict[Outdated, dict[Language, str]]] = {
    "version": {"zh": "而非“{loser}”的旧版本", "en": 'not an older version of "{loser}"'},
    "replaced": {"zh": "“{loser}”已被取代", "en": '"{loser}" has been superseded'},
    "newer": {"zh": "它取代了较早的“{loser}”", "en": 'it replaces the earlier "{loser}"'},
    "expired": {"zh": "“{loser}”的有效期至{day}为止", "en": '"{loser}" was in force until {day}'},
    "future": {"zh": "“{loser}”自{day}起才施行", "en": '"{loser}" takes effect only on {day}'},
}


def superseded(ledger: Sequence[LedgerEntry], numbers: Mapping[str, int], language: Language) -> list[str]:
    """A sentence for each source that yielded to one of the answer's; `numbers` are those of the sources by chunk."""
    told = (_sentence(loser, numbers, language) for loser in _losers(ledger, numbers))
    return list(dict.fromkeys(told))


def _losers(ledger: Sequence[LedgerEntry], numbers: Mapping[str, int]) -> Iterator[Evidence]:
    for entry in ledger:
        for evidence in entry["evidence"]:
            if "superseded" in evidence and evidence["superseded"]["chunk_id"] in numbers:
                yield evidence


def _sentence(loser: Evidence, numbers: Mapping[str, int], language: Language) -> str:
    because = loser["superseded"]
    since = SINCE[language].format(since=because["since"]) if because["since"] else ""
    yielded = YIELDED[because["why"]][language].format(loser=unmarked(loser["title"]), day=because["day"])
    number = numbers[because["chunk_id"]]
    return FOLLOWED[language].format(winner=unmarked(because["title"]), since=since, number=number, loser=yielded)
