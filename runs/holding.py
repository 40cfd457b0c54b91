"""A thread held by one run, here and in the file of threads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.run_log import End, run_log
from runs.engine import Engine, config
from runs.marks import RUN, THREAD


@asynccontextmanager
async def held(engine: Engine, thread_id: str, run_id: str) -> AsyncIterator[None]:
    """Keep the thread for a run, and write down how it ended. Raises `Conflict`, which names the run that has it.

    From here on log lines have the run's ids, also those of whatever task or thread it begins.
    """
    log = run_log(engine.saver)
    ended: End = "cancelled"
    with engine.locks.hold(thread_id, run_id):
        RUN.set(run_id)
        THREAD.set(thread_id)
        died = await log.begin(thread_id, run_id)
        try:
            yield
            ended = "ended"
        except Exception:
            ended = "failed"
            raise
        finally:
            if died is None or await _wrote(engine, thread_id, run_id):
                await log.end(thread_id, run_id, ended)
            else:
                await log.take_back(thread_id, died)


async def _wrote(engine: Engine, thread_id: str, run_id: str) -> bool:
    """Whether the thread's latest checkpoint is of this run."""
    latest = await engine.saver.aget_tuple(config(thread_id))
    return latest is not None and latest.metadata.get("run_id") == run_id
