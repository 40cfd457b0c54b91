"""A server to talk to: the one that owns the data folder, or one that this process runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import Final

from api.client import Client
from api.keys import made_up
from api.meter import Meter
from corpus.documents import Outcome
from corpus.lost import refuse_lost
from corpus.owner import owner_of
from corpus.swap import holds_index
from errors import NotFound
from settings import Settings

EMPTY: Final = (
    "The data folder holds no index of Gapseek: name another one with --data or GAPSEEK_DATA, or fill this one with "
    "`gapseek ingest`."
)


def existing(settings: Settings) -> Settings:
    """The same settings. Raises `NotFound` when their data folder, mistyped perhaps, holds no index, and `Conflict`
    when it has lost the one that it held."""
    if not holds_index(settings.data):
        refuse_lost(settings.data)
        raise NotFound(EMPTY)
    return settings


@contextmanager
def served(settings: Settings, *, sample: bool, key: str) -> Iterator[tuple[str, Future[None]]]:
    """A server of this process at the settings' host and port: its address, and the future of its end.

    `key` opens it to commands on this machine.
    """
    # These take seconds to import, and a command that goes through a running server needs none of them.
    from api.local import address_at, listen, serving
    from graph.prompt_sets import open_prompts
    from server import create_app, drained

    open_prompts(settings)  # here already, so that no port opens for prompts that cannot be used
    listener = listen(settings.host, settings.port)
    meter = Meter()

    def progress(done: int, total: int, outcome: Outcome) -> None:
        meter("Indexing the sample", done, total)

    bound = settings.model_copy(update={"port": listener.getsockname()[1]})
    app = create_app(bound, sample=sample, progress=progress, key=key)
    with listener, meter, serving(app, listener, drained(app)) as running:
        meter.stop()
        yield address_at(bound.host, bound.port), running


@contextmanager
def connected(settings: Settings, *, new: bool = False, sample: bool = False) -> Iterator[Client]:
    """A client of the server that owns the data folder, or else of one that this process runs meanwhile.

    Raises `NotFound` for a folder without an index, unless it may be a new one, which gets the sample if wanted.
    """
    owner = owner_of(settings.data)
    if owner is None and not new:
        existing(settings)
    with ExitStack() as stack:
        if owner and owner.address:
            address, key = owner.address, owner.key
        else:
            own, key = settings.model_copy(update={"host": "127.0.0.1", "port": 0}), made_up()
            fill = sample and not holds_index(settings.data)
            address, _ = stack.enter_context(served(own, sample=fill, key=key))
        yield stack.enter_context(Client.at(address, key))
