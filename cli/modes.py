"""`gapseek modes`."""

from __future__ import annotations

from api.listing import mode_rows, print_json, show
from cli.app import app
from cli.connection import connected
from cli.options import AsJson, Data, given
from settings import Settings


@app.command()
def modes(data: Data = None, as_json: AsJson = False) -> None:
    """List the ways in which a question can be answered, and which of them can be used here."""
    with connected(Settings(**given(data=data))) as client:
        page = client.call("GET", "/modes")
    print_json(page) if as_json else show(mode_rows(page))
