"""What an answer says of the sources that it did not follow, each of which yielded to one that holds, and of those that
it did follow although they are not in force."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from evidence import Evidence, LedgerEntry, Outdated
from policy.supersession import names, standing
from state import Language
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


DISPUTED: Final[dict[Outdated, dict[Language, str]]] = {
    "replaced": {
        "zh": "“{loser}”已被“{winner}”[{number}]取代。",
        "en": '"{loser}" has been superseded by "{winner}" [{number}].',
    },
    "newer": {
        "zh": "“{winner}”[{number}]取代了较早的“{loser}”。",
        "en": '"{winner}" [{number}] replaces the earlier "{loser}".',
    },
    "expired": {"zh": "“{loser}”的有效期至{day}为止。", "en": '"{loser}" was in force until {day}.'},
    "future": {"zh": "“{loser}”自{day}起才施行。", "en": '"{loser}" takes effect only on {day}.'},
}
"""Where what it yielded to is itself one side of a conflict, and nothing was followed."""
NOT_IN_FORCE: Final[dict[Outdated, dict[Language, str]]] = {
    "expired": {
        "zh": "请注意：“{title}”[{number}]的有效期至{day}为止，此后不再有效。",
        "en": 'Note: "{title}" [{number}] was in force until {day} and is no longer.',
    },
    "future": {
        "zh": "请注意：“{title}”[{number}]自{day}起才施行，尚未生效。",
        "en": 'Note: "{title}" [{number}] takes effect only from {day} on and is not in force yet.',
    },
}


def superseded(
    ledger: Sequence[LedgerEntry], numbers: Mapping[str, int], language: Language, disputed: Collection[str] = ()
) -> list[str]:
    """A sentence for each source that yielded to one of the answer's; `numbers` are those of the sources by chunk, and
    `disputed` the chunks that are sides of a conflict."""
    told = (_sentence(loser, numbers, language, disputed) for loser in _losers(ledger, numbers))
    return list(dict.fromkeys(filter(None, told)))


def not_in_force(
    ledger: Sequence[LedgerEntry], cited: Mapping[str, int], language: Language, day: dt.date
) -> list[str]:
    """A sentence for each document that the answer cites though by its metadata it does not hold on that day.

    `cited` are the numbers of the cited sources by chunk.
    """
    told: dict[str, str] = {}
    for evidence in (e for entry in ledger for e in entry["evidence"] if e["chunk_id"] in cited):
        why = standing(evidence, day)
        if why in NOT_IN_FORCE and "superseded" not in evidence:
            edge = evidence["effective_to"] if why == "expired" else evidence["effective_from"]
            number = cited[evidence["chunk_id"]]
            said = NOT_IN_FORCE[why][language].format(
                title=unmarked(evidence["title"]), number=number, day=_shown(edge, language)
            )
            told.setdefault(evidence["doc_id"], said)
    return list(told.values())


def _losers(ledger: Sequence[LedgerEntry], numbers: Mapping[str, int]) -> Iterator[Evidence]:
    for entry in ledger:
        for evidence in entry["evidence"]:
            if "superseded" in evidence and evidence["superseded"]["chunk_id"] in numbers:
                yield evidence


def _sentence(loser: Evidence, numbers: Mapping[str, int], language: Language, disputed: Collection[str]) -> str | None:
    because = loser["superseded"]
    number = numbers[because["chunk_id"]]
    if because["chunk_id"] in disputed:
        return _beside_a_conflict(loser, number, language)
    since = SINCE[language].format(since=_shown(because["since"], language)) if because["since"] else ""
    yielded = YIELDED[because["why"]][language].format(
        loser=unmarked(loser["title"]), day=_shown(because["day"], language)
    )
    return FOLLOWED[language].format(winner=unmarked(because["title"]), since=since, number=number, loser=yielded)


def _beside_a_conflict(loser: Evidence, number: int, language: Language) -> str | None:
    """None where the winner is not what the loser's own metadata name: it only was not replaced itself."""
    because = loser["superseded"]
    unnamed = because["why"] == "replaced" and not names(loser, because["doc_id"], because["title"])
    if unnamed or because["why"] not in DISPUTED:
        return None
    said = DISPUTED[because["why"]][language]
    return said.format(
        loser=unmarked(loser["title"]),
        winner=unmarked(because["title"]),
        number=number,
        day=_shown(because["day"], language),
    )


def _shown(day: str | None, language: Language) -> str:
    """An ISO date; a year alone as one says it."""
    return f"{day}年" if day and day.isdigit() and language == "zh" else day or ""
