"""A command that only talks to a server imports nothing that only a server needs."""

from __future__ import annotations

import json
import subprocess
import sys


def test_the_command_starts_without_what_takes_seconds_to_import() -> None:
    program = "import json, sys; import cli.main; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    heavy = {"langgraph", "langchain_core", "chromadb", "onnxruntime", "numpy", "fastapi", "openai"}
    assert not heavy & set(json.loads(done.stdout))
