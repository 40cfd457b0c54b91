"""The index files: mapped when they fit, caught up when they lag, built anew when they do not fit, never an error."""

from __future__ import annotations

import logging
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.segments import container
from corpus.segments.inverted import term
from corpus.segments.rows import Row
from corpus.store.current import Current
from corpus.store.faults import StoreFailed
from tests.fakes.embedder import HashEmbedder

ME = Principal()
TEXTS = {"a": "电梯维修费用由业主承担。", "b": "食堂十二点开门。", "c": "车位按月收费。"}


async def opened(folder: Path, embedder: HashEmbedder | None = None) -> Index:
    return await Index.open(folder, embedder or HashEmbedder())


async def filled(folder: Path, principal: Principal = ME, **texts: str) -> None:
    index = await opened(folder)
    await index.add([NewDocument(doc_id, text) for doc_id, text in (texts or TEXTS).items()], principal)
    await index.close()


async def killed(index: Index) -> None:
    """The end of a process that was killed: nothing is written any more, and the store is as it was."""
    await index._derived._settling.stop()
    index._database.close()


async def found(index: Index, query: str, principal: Principal = ME) -> set[str]:
    result = await index.search(SearchRequest((query,), principal, lanes=("keyword",), top_k=100))
    vector = await index.search(SearchRequest((query,), principal, lanes=("vector",), top_k=100))
    assert len(vector.docs) == await index.count(principal, None)
    return {doc["doc_id"] for doc in result.docs}


async def settled(index: Index) -> None:
    """Wait for the tidying up that a change has planned."""
    task = index._derived._settling._task
    assert task is not None
    await task


def files(folder: Path) -> list[Path]:
    return sorted((folder / "index").glob("*.segment"))


@pytest.fixture
def no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever would read all documents of the store fails."""

    def refuse(*args: Any) -> Any:
        raise AssertionError("a pass over the store")

    monkeypatch.setattr(Current, "stamps", refuse)
    monkeypatch.setattr(Current, "rows", refuse)
    monkeypatch.setattr("corpus.store.vectors.VectorTable.keys_without", refuse)


async def test_a_closed_index_opens_from_its_file_alone(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    await filled(tmp_path)
    request.getfixturevalue("no_pass")
    index = await opened(tmp_path)
    assert await found(index, "食堂") == {"b"}
    await index.close()


async def test_files_and_their_folder_are_the_owners_only(tmp_path: Path) -> None:
    await filled(tmp_path)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "index", *files(tmp_path))] == [0o700, 0o600]


async def test_after_a_kill_what_changed_since_is_caught_up_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(tmp_path)
    index = await opened(tmp_path)
    await index.add([NewDocument("a", "电梯停运。"), NewDocument("d", "游泳池。")], ME)
    await index.delete("b", ME)
    await index.add([NewDocument("c", TEXTS["c"], groups=frozenset({"hr"}))], ME)
    await killed(index)
    read: list[str] = []
    rows = Current.rows

    def noted(self: Current, tenant: str, doc_ids: Sequence[str]) -> Iterator[list[Row]]:
        read.extend(doc_ids)
        return rows(self, tenant, doc_ids)

    monkeypatch.setattr(Current, "rows", noted)
    index = await opened(tmp_path)
    assert sorted(read) == ["a", "c", "d"]
    for query, doc_ids in {"停运": {"a"}, "维修": set(), "食堂": set(), "车位": set(), "游泳池": {"d"}}.items():
        assert await found(index, query) == doc_ids
    assert await found(index, "车位", Principal(groups=frozenset({"hr"}))) == {"c"}
    await index.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"garbage" * 1000),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.unlink(),
        lambda path: container.write(path, container.read(path)[0], {}),
        lambda path: container.write(path, {"generation": 3}, container.read(path)[1]),
        lambda path: container.write(path, container.read(path)[0] | {"generation": 99}, container.read(path)[1]),
        lambda path: container.write(path, container.read(path)[0] | {"fingerprint": "x"}, container.read(path)[1]),
    ],
)
async def test_a_file_that_does_not_fit_is_built_anew(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    await filled(tmp_path)
    damage(files(tmp_path)[0])
    index = await opened(tmp_path)
    assert await found(index, "食堂") == {"b"}
    generation = index.generation
    await index.close()
    assert container.read(files(tmp_path)[0])[0]["generation"] == generation


async def test_another_stores_file_of_the_same_generation_is_not_taken(tmp_path: Path) -> None:
    await filled(tmp_path / "one")
    await filled(tmp_path / "two", x="别的电梯。", y="别的食堂。", z="别的车位。")
    shutil.copy(files(tmp_path / "one")[0], files(tmp_path / "two")[0])
    index = await opened(tmp_path / "two")
    assert await found(index, "食堂") == {"y"}
    await index.close()


async def test_a_store_put_back_to_an_older_state_is_not_shown_newer(tmp_path: Path) -> None:
    await filled(tmp_path)
    shutil.copy(tmp_path / "documents.sqlite3", tmp_path / "kept")
    index = await opened(tmp_path)
    await index.add([NewDocument("d", "游泳池。")], ME)
    await index.delete("a", ME)
    await index.close()
    shutil.copy(tmp_path / "kept", tmp_path / "documents.sqlite3")
    index = await opened(tmp_path)
    assert [await found(index, query) for query in ("电梯", "游泳池")] == [{"a"}, set()]
    await index.close()


async def test_another_embedder_setting_has_its_own_vectors(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    await index.add([NewDocument(doc_id, text) for doc_id, text in TEXTS.items()], ME)
    await index.close()
    for _ in range(2):
        index = await opened(tmp_path)
        assert await found(index, "食堂") == {"b"}
        await index.close()


async def test_names_of_any_script_have_their_own_files(tmp_path: Path) -> None:
    """Case A31."""
    names = ["产品手册", "產品手冊", "a", "ab", "财务 2024/Q1", "../x", "字" * 80, "😀", "产品手册 "]
    index = await opened(tmp_path)
    for name in names:
        await index.add([NewDocument(f"of {name}", f"只属于{name}的电梯")], Principal(tenant=name))
    await index.close()
    assert len(files(tmp_path)) == len(names)
    index = await opened(tmp_path)
    for name in names:
        assert await found(index, "电梯", Principal(tenant=name)) == {f"of {name}"}
    await index.close()


async def test_nothing_of_a_deleted_document_stays_in_a_file(tmp_path: Path) -> None:
    """Case A32: neither its words nor its names nor its vector, once the process has ended."""
    secret = NewDocument("secret-name", "绝密代号 zanzibar", title="secret-title", metadata={"k": "secret-value"})
    index = await opened(tmp_path)
    await index.add([secret, NewDocument("b", "公开")], ME)
    await index.close()
    vector = (await HashEmbedder().passages(["secret-title\n绝密代号 zanzibar"]))[0].tobytes()
    traces = [b"secret-name", b"secret-title", b"secret-value", vector, term("zanzibar").to_bytes(8, "little")]
    assert all(trace in files(tmp_path)[0].read_bytes() for trace in traces)
    index = await opened(tmp_path)
    assert await found(index, "zanzibar") == {"secret-name"}
    await index.delete("secret-name", ME)
    assert await found(index, "zanzibar") == set()
    await index.close()
    assert not any(trace in files(tmp_path)[0].read_bytes() for trace in traces)
    index = await opened(tmp_path)
    assert await found(index, "zanzibar") == set()
    await index.close()


async def test_a_running_service_rewrites_the_file_soon_after_a_deletion(tmp_path: Path) -> None:
    """Case A32."""
    await filled(tmp_path)
    index = await opened(tmp_path)
    index._derived._settling._delay_s = 0
    await index.delete("b", ME)
    await settled(index)
    assert term("食堂").to_bytes(8, "little") not in files(tmp_path)[0].read_bytes()
    assert await found(index, "电梯") == {"a"}
    await index.delete("a", ME)
    await index.delete("c", ME)
    await settled(index)
    assert files(tmp_path) == []
    await index.close()


async def test_a_full_disk_stops_no_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    await filled(tmp_path)

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("corpus.segments.container.write", full)
    monkeypatch.setattr("corpus.partitions._SMALL", 0)
    index = await opened(tmp_path)
    await index.add([NewDocument("d", "游泳池。")], ME)
    await index.delete("b", ME)
    assert [await found(index, query) for query in ("游泳池", "食堂", "电梯")] == [{"d"}, set(), {"a"}]
    await index.close()
    monkeypatch.undo()
    index = await opened(tmp_path)
    assert [await found(index, query) for query in ("游泳池", "食堂", "电梯")] == [{"d"}, set(), {"a"}]
    await index.close()


def unreadable(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """The next reads of changed documents fail."""
    left, rows = iter(range(times)), Current.rows

    def failing(self: Current, tenant: str, doc_ids: Sequence[str]) -> Iterator[list[Row]]:
        if next(left, None) is not None:
            raise StoreFailed("The disk fails.")
        return rows(self, tenant, doc_ids)

    monkeypatch.setattr(Current, "rows", failing)


async def test_a_deletion_that_could_not_be_shown_is_shown_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    await filled(tmp_path)
    index = await opened(tmp_path)
    index._derived._settling._delay_s = 0
    generation = index.generation
    unreadable(monkeypatch, 3)
    with pytest.raises(StoreFailed):
        await index.delete("b", ME)
    assert index.generation == generation
    await settled(index)
    assert await found(index, "食堂") == set()
    assert index.generation == generation + 1
    await index.close()


async def test_a_deletion_that_could_not_be_shown_is_shown_with_the_next_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(tmp_path)
    index = await opened(tmp_path)
    unreadable(monkeypatch, 1)
    with pytest.raises(StoreFailed):
        await index.delete("b", ME)
    await index.add([NewDocument("c", "游泳池。")], ME)
    assert [await found(index, query) for query in ("食堂", "车位", "游泳池")] == [set(), set(), {"c"}]
    await index.close()


async def test_changes_are_merged_into_the_file_once_they_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.partitions._SMALL", 3)
    index = await opened(tmp_path)
    for n in range(12):
        await index.add([NewDocument(str(n), f"电梯 {n} 号")], ME)
        assert len(index._derived.get("default").delta) <= 3
    assert len(index._derived.get("default").base) == 12
    assert await found(index, "电梯") == {str(n) for n in range(12)}
    await killed(index)
    index = await opened(tmp_path)
    assert await found(index, "电梯") == {str(n) for n in range(12)}
    await index.close()


async def test_what_a_killed_process_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    await filled(tmp_path)
    (begun,) = (path.with_name(f".{path.name}.new") for path in files(tmp_path))
    begun.write_bytes(b"half of it")
    index = await opened(tmp_path)
    assert not begun.exists()
    assert await found(index, "食堂") == {"b"}
    await index.close()


async def test_the_folder_of_release_0_1_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "chroma.sqlite3").write_bytes(b"old")
    await (await opened(tmp_path)).close()
    assert not (tmp_path / "vectors").exists()


async def test_a_tenant_that_was_emptied_costs_no_start_anything(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(tmp_path)
    index = await opened(tmp_path)
    for doc_id in TEXTS:
        await index.delete(doc_id, ME)
    generation = index.generation
    await index.close()
    request.getfixturevalue("no_pass")
    index = await opened(tmp_path)
    assert index.generation == generation
    monkeypatch.undo()
    await index.add([NewDocument("a", TEXTS["a"])], ME)
    assert await found(index, "电梯") == {"a"}
    await index.close()


async def test_a_file_of_a_tenant_that_was_emptied_is_not_left_behind(tmp_path: Path) -> None:
    await filled(tmp_path)
    index = await opened(tmp_path)
    for doc_id in TEXTS:
        await index.delete(doc_id, ME)
    await killed(index)
    assert files(tmp_path)
    index = await opened(tmp_path)
    await index.close()
    assert files(tmp_path) == []
