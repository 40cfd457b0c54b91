"""`python -m cli` is `gapseek`."""

from cli.main import app

app(prog_name="gapseek")
