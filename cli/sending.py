"""Files to a server, several in a request, and what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

from api.client import Client
from api.progress import IngestProgress
from corpus.documents import Outcome, failed
from corpus.ingest.convert.limits import Limits
from corpus.ingest.folder import Found
from errors import BadRequest, TooLarge

_FILES: Final = 32
_BYTES: Final = 8_000_000
"""One request carries so many files at most, and no more after so many bytes: they are in memory while they go out."""

Batch = dict[str, bytes]


def sent(
    client: Client, files: Sequence[Found], fields: dict[str, Any], most: Limits, progress: IngestProgress
) -> Iterator[Outcome]:
    """What became of each file; only what is wrong with a file is its failure."""
    for one in batches(files, most):
        for outcome in [one] if isinstance(one, Outcome) else uploaded(client, one, fields, progress):
            progress.file(outcome.doc_id)
            yield outcome


def batches(files: Sequence[Found], most: Limits) -> Iterator[Batch | Outcome]:
    """Files to send together, and the outcome of each that cannot even be read here."""
    batch: Batch = {}
    for file in files:
        try:
            batch[file.doc_id] = file.data(most)
        except BadRequest as error:
            yield failed(file.doc_id, error)
        if len(batch) == _FILES or sum(map(len, batch.values())) > _BYTES:
            yield batch
            batch = {}
    if batch:
        yield batch


def uploaded(client: Client, batch: Batch, fields: dict[str, Any], progress: IngestProgress) -> Iterator[Outcome]:
    """The outcomes of one request, as they come."""
    left = list(batch)
    try:
        for event, told in client.upload("/documents", {name: BytesIO(data) for name, data in batch.items()}, fields):
            if event == "chunks":
                progress.chunks(told)
            elif event == "document":
                left.pop(0)
                yield _outcome(told)
    except (BadRequest, TooLarge) as error:
        yield from (failed(doc_id, error) for doc_id in left)


def _outcome(told: dict[str, Any]) -> Outcome:
    said = {name: told.get(name) for name in ("sentence", "found", "code")}
    return Outcome(told["doc_id"], told["result"], told["chunks"], **said, notes=tuple(told.get("notes", ())))
