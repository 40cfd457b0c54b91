"""`gapseek keys`: who may use this server, and for what. A running server sees every change at once."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.text import Text

from api.keys import Key, KeyFile, Wanted
from api.listing import empty_table, print_json, show
from api.terminal import harmless
from cli.app import FOUND, NOTHING, app
from cli.options import AsJson, Data, given
from settings import Settings

keys = typer.Typer(no_args_is_help=True, help="API keys: make, list and revoke them.")
app.add_typer(keys, name="keys")

TOLD_ONCE = "This is the only time that the key is shown; it is sent as `Authorization: Bearer <key>`."


@keys.command()
def create(
    name: Annotated[str, typer.Argument(help="Whose it is, as the list shows it.")],
    role: Annotated[
        list[str] | None, typer.Option(help="ask, ingest, review or admin; several times. Default: ask.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group whose documents it may see; several times.")] = None,
    tenant: Annotated[str, typer.Option(help="Whose documents and threads it reaches.")] = "default",
    days: Annotated[int | None, typer.Option(help="How long it is valid; else until it is revoked.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, once. From the first one on, the server answers nobody without a key."""
    wanted = Wanted(name, tenant, tuple(group or ()), tuple(role or ("ask",)), days)
    key, text = _file(data).create(wanted)
    if as_json:
        print_json(_shown(key) | {"key": text})
        return
    typer.echo(text)
    typer.echo(TOLD_ONCE, err=True)


@keys.command("list")
def list_keys(data: Data = None, as_json: AsJson = False) -> None:
    """List keys, oldest first; the keys themselves are kept nowhere."""
    kept = _file(data).keys()
    if as_json:
        print_json({"keys": [_shown(key) for key in kept]})
    else:
        rows = empty_table("id", "name", "tenant", "groups", "roles", "created", "state")
        for key in kept:
            cells = (key.name, key.tenant, ", ".join(key.groups), ", ".join(key.roles), key.created, _state(key))
            rows.add_row(key.id, *(Text(harmless(cell)) for cell in cells))
        show(rows)
    raise typer.Exit(FOUND if kept else NOTHING)


@keys.command()
def revoke(identifier: Annotated[str, typer.Argument(metavar="ID")], data: Data = None) -> None:
    """End a key at once; requests that run already go on to their end."""
    key = _file(data).revoke(identifier)
    typer.echo(f"Revoked: {key.id} ({harmless(key.name)})", err=True)


def _file(data: Any) -> KeyFile:
    return KeyFile.of(Settings(**given(data=data)).data)


def _shown(key: Key) -> dict[str, Any]:
    return {name: value for name, value in asdict(key).items() if name != "hash"}


def _state(key: Key) -> str:
    if key.revoked is not None:
        return f"revoked {key.revoked}"
    if not key.valid(datetime.now(UTC)):
        return f"expired {key.expires}"
    return "valid" if key.expires is None else f"valid until {key.expires}"
