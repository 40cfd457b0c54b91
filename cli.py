"""The `gapseek` command. What it asks goes over HTTP: to the server that owns the data folder, or to one it starts."""

from __future__ import annotations

import json
import signal
import traceback
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NoReturn
from urllib.parse import quote

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError
from rich.console import Console
from typer.core import TyperGroup
from typer.exceptions import TyperException

from api.client import Client
from api.demo import demo as show_demo
from api.listing import Bar, hit_rows, print_json, step_rows
from api.terminal import RunView, harmless
from corpus.documents import NewDocument, Outcome, checked
from corpus.ingest.folder import find_files, read_folder
from corpus.owner import owner_of
from errors import BadRequest, GapseekError, TooLarge
from evals.questions import questions
from settings import Endpoint, Settings

FOUND: Final = 0
NOTHING: Final = 1
FAILED: Final = 2
"""Exit status, as grep has it."""


class OneSentence(TyperGroup):
    """Turns what goes wrong into one sentence on stderr and exit status 2; what nobody foresaw keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GapseekError as error:
            sentence = error.sentence
        except ValidationError as error:
            sentence = " ".join(f"GAPSEEK_{_name(e['loc'])}: {e['msg']}." for e in error.errors())
        except SettingsError as error:
            sentence = f"A setting cannot be read: {error}."
        except OSError as error:
            sentence = f"{error.strerror or 'A file or folder cannot be used'}: {error.filename or 'no name given'}."
        except UnicodeError:
            sentence = "The command's words must be UTF-8 text."
        except (typer.Exit, typer.Abort, TyperException):
            raise
        except Exception:  # Python's own exit status for it, 1, would say that nothing was found
            traceback.print_exc()
            sentence = "Something unexpected went wrong; the lines above say where."
        typer.echo(f"gapseek: {harmless(sentence)}", err=True)
        raise typer.Exit(FAILED)


def _name(place: tuple[int | str, ...]) -> str:
    return "__".join(str(part) for part in place).upper()


app = typer.Typer(cls=OneSentence, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def json_object(text: str) -> dict[str, Any]:
    """An option's JSON object; anything else is a usage error."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise typer.BadParameter("a JSON object is needed")
    return value


Data = Annotated[Path | None, typer.Option(help="Folder of everything kept; else GAPSEEK_DATA, else ./data.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the reply as JSON, and nothing else.")]
Filters = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Search within: {"year": 2024}.')]
State = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Change first: {"question": "…"}.')]
Dials = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Change first: {"threshold": 0.8}.')]


def show_version(wanted: bool) -> None:
    if wanted:
        from api.health import installed_version

        typer.echo(f"gapseek {installed_version()}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Questions to a private knowledge base, answered with citations.

    Exit status, as with grep: 0 when something was found, 1 when nothing was, 2 for an error.
    """


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
    with suppress(KeyboardInterrupt), served(settings, sample=sample) as (address, running):
        typer.echo(f"Gapseek answers at {address}; its API page is {address}/docs. Ctrl-C stops it.", err=True)
        running.result()


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="Go on in this thread.")] = None,
    mode: Annotated[str | None, typer.Option(help="How to answer; else GAPSEEK_MODE.")] = None,
    filters: Filters = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question: steps on stderr as they happen, the answer and its sources on stdout."""
    with connected(Settings(**given(data=data))) as client:
        run(client, "/ask", given(question=question, thread_id=thread, mode=mode, filters=filters), as_json)


@app.command()
def ingest(
    path: Annotated[Path, typer.Argument(help="A file, or a folder with all below it.")], data: Data = None
) -> None:
    """Index Markdown and text files. What has not changed costs nothing; what failed is named."""
    total, outcomes = len(find_files(path)), list[Outcome]()
    with connected(Settings(**given(data=data))) as client, Bar("Indexing") as bar:
        for file in read_folder(path):
            outcomes.append(file if isinstance(file, Outcome) else sent(client, file))
            bar(len(outcomes), total, outcomes[-1])
    for one in outcomes:
        if one.result == "failed":
            typer.echo(f"gapseek: {harmless(one.doc_id)}: {harmless(one.sentence or '')}", err=True)
    results = [one.result for one in outcomes]
    typer.echo(", ".join(f"{results.count(r)} {r}" for r in ("added", "updated", "unchanged", "failed")))
    raise typer.Exit(NOTHING if "failed" in results else FOUND)


@app.command()
def search(
    query: str,
    mode: Annotated[str | None, typer.Option(help="bm25, naive or hybrid.")] = None,
    k: Annotated[int | None, typer.Option("-k", min=1, help="How many hits.")] = None,
    filters: Filters = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show the chunks that a query finds, best first, without an answer."""
    with connected(Settings(**given(data=data))) as client:
        found = client.call("POST", "/search", given(query=query, mode=mode, k=k, filters=filters))
    print_json(found) if as_json else Console().print(hit_rows(found))
    raise typer.Exit(FOUND if found["hits"] else NOTHING)


@app.command()
def history(thread: str, data: Data = None, as_json: AsJson = False) -> None:
    """List every step of a thread, oldest first. Nothing is run."""
    with connected(Settings(**given(data=data))) as client:
        kept = client.call("GET", f"/threads/{quote(thread, safe='')}/history")
    print_json(kept) if as_json else Console().print(step_rows(kept))


@app.command()
def replay(
    thread: str,
    checkpoint: str,
    state: State = None,
    dials: Dials = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Run anew from a step, in a new thread. The nodes after it run, and call their models, again."""
    with connected(Settings(**given(data=data))) as client:
        again = f"/threads/{quote(thread, safe='')}/replay"
        run(client, again, given(checkpoint_id=checkpoint, state=state, dials=dials), as_json)


@app.command()
def demo() -> None:
    """Serve the sample from a fresh folder, ask its opening question over HTTP, and replay that from the middle."""
    with TemporaryDirectory(prefix="gapseek-") as folder:
        none = Endpoint()
        embedded = Settings(chat=none, small_chat=none, embeddings=none, data=Path(folder), host="127.0.0.1", port=0)
        with served(embedded, sample=True) as (address, _), Client.at(address) as client:
            show_demo(client, questions()[0]["question"], Console())


def given(**values: Any) -> dict[str, Any]:
    """Only what was given."""
    return {name: value for name, value in values.items() if value is not None}


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


def run(client: Client, path: str, body: dict[str, Any], as_json: bool) -> NoReturn:
    """Ask or replay, show it, and end with the exit status of what came of it."""
    if as_json:
        reply = client.call("POST", path, body)
        print_json(reply)
    else:
        reply = RunView(Console(), Console(stderr=True)).show(client.stream(path, body))
    raise typer.Exit(FOUND if reply["status"] in ("answered", "partial") else NOTHING)


def sent(client: Client, document: NewDocument) -> Outcome:
    """What became of a document; only what is wrong with it is its failure."""
    try:
        plain = checked(document)
        access = {"groups": sorted(plain.groups)} if plain.groups else None
        body = given(doc_id=plain.doc_id, title=plain.title, text=plain.text, metadata=plain.metadata, access=access)
        return Outcome(**client.call("POST", "/documents", {"documents": [body]})["documents"][0])
    except (BadRequest, TooLarge) as error:
        return Outcome(document.doc_id, "failed", sentence=error.sentence)


if __name__ == "__main__":
    app(prog_name="gapseek")
