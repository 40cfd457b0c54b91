import subprocess
import sys

CHECK = """
import {first}
from langgraph.checkpoint.serde import _msgpack
assert _msgpack.STRICT_MSGPACK_ENABLED
"""


def strict_after_importing(first: str) -> bool:
    return subprocess.run([sys.executable, "-c", CHECK.format(first=first)], check=False).returncode == 0


def test_langgraph_is_strict_whichever_room_is_imported_first() -> None:
    assert all(strict_after_importing(first) for first in ("graph.build", "runs.ask", "server"))
