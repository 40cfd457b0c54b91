"""`gapseek serve` and `gapseek demo`."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

from api.client import Client
from api.demo import demo as show_demo
from api.keys import KeyFile, made_up
from api.logs import configure
from cli.app import app
from cli.connection import served
from cli.options import Data, given
from evals.questions import questions
from settings import Endpoint, Settings

KEYED = "Every request needs an API key; `gapseek keys list` shows those there are."
UNKEYED = "There are no API keys: it answers whoever works on this machine. `gapseek keys create` makes one."


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; else GAPSEEK_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port, 0 for any free one; else GAPSEEK_PORT.")] = None,
    data: Data = None,
    sample: Annotated[bool, typer.Option("--sample/--no-sample", help="Fill an empty index with the sample.")] = True,
) -> None:
    """Run the server until Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = Settings(**given(host=host, port=port, data=data))
    configure(settings)
    with suppress(KeyboardInterrupt), served(settings, sample=sample, key=made_up()) as (address, running):
        keys = KEYED if KeyFile.of(settings.data).keys() else UNKEYED
        typer.echo(f"Gapseek answers at {address}; its API page is {address}/docs. {keys} Ctrl-C stops it.", err=True)
        running.result()


@app.command()
def demo() -> None:
    """Serve the sample from a fresh folder, ask its opening question over HTTP, and replay that from the middle."""
    with TemporaryDirectory(prefix="gapseek-") as folder:
        none = Endpoint()
        embedded = Settings(chat=none, small_chat=none, embeddings=none, data=Path(folder), host="127.0.0.1", port=0)
        with served(embedded, sample=True, key=made_up()) as (address, _), Client.at(address) as client:
            show_demo(client, questions()[0]["question"], Console())
