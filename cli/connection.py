"""A server to talk to: the one that owns the data folder, or one that this process runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager

from api.client import Client
from api.listing import Bar
from corpus.owner import owner_of
from settings import Settings


@contextmanager
def served(settings: Settings, *, sample: bool) -> Iterator[tuple[str, Future[None]]]:
    """A server of this process at the settings' host and port: its address, and the future of its end."""
    # These take seconds to import, and a command that goes through a running server needs none of them.
    from api.local import address_at, listen, serving
    from server import create_app

    listener = listen(settings.host, settings.port)
    bar = Bar("Indexing the sample")
    bound = settings.model_copy(update={"port": listener.getsockname()[1]})
    with listener, bar, serving(create_app(bound, sample=sample, progress=bar), listener) as running:
        bar.stop()
        yield address_at(bound.host, bound.port), running


@contextmanager
def connected(settings: Settings) -> Iterator[Client]:
    """A client of the server that owns the data folder, or else of one that this process runs meanwhile."""
    owner = owner_of(settings.data)
    with ExitStack() as stack:
        if owner and owner.address:
            address = owner.address
        else:
            own = settings.model_copy(update={"host": "127.0.0.1", "port": 0})
            address, _ = stack.enter_context(served(own, sample=False))
        yield stack.enter_context(Client.at(address))
