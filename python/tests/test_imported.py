"""Files of the published package: read safely, used and judged."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import expected, read_cases

torch = pytest.importorskip("torch")
geometric = pytest.importorskip("torch_geometric")

import salsa_clrs  # noqa: E402
from salsa_clrs import Evaluator, ImportedDataset, SALSACLRSDataLoader  # noqa: E402
from salsa_clrs.data import NAMES  # noqa: E402
from salsa_clrs.pt_file import read_pt  # noqa: E402


@pytest.fixture
def published_class(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A data class with the name that the published package gives to its own."""

    class CLRSData(geometric.data.Data):
        pass

    CLRSData.__module__, CLRSData.__qualname__ = "salsaclrs.data", "CLRSData"
    module = types.ModuleType("salsaclrs.data")
    module.CLRSData = CLRSData
    monkeypatch.setitem(sys.modules, "salsaclrs", types.ModuleType("salsaclrs"))
    monkeypatch.setitem(sys.modules, "salsaclrs.data", module)
    return CLRSData


def write(folder: Path, algorithm: str, kind: Any, *, hints: bool = True) -> list[Any]:
    """The recorded cases of the published code as the files it would write."""
    cases = read_cases(algorithm)
    folder.mkdir(parents=True)
    for index, case in enumerate(cases):
        tensors = {}
        for name, values in expected(case, hints=hints).items():
            if values.ndim > 1:
                # Steps were the first axis there, and stay so in memory.
                values = np.ascontiguousarray(values.swapaxes(0, 1)).swapaxes(0, 1)
            tensors[name] = torch.from_numpy(values)
        data = kind(**tensors)
        inputs = set(case["inputs"]) - {"A", "adj", "weights"}
        data.inputs = [*inputs, *({"randomness"} & set(tensors))]
        data.hints = list(case["hints"]) if hints else []
        data.outputs = list(case["outputs"])
        torch.save(data, folder / f"data_{index}.pt")
    return cases


@pytest.mark.parametrize("hints", [False, True])
def test_published_files_are_read(
    algorithm: str, hints: bool, published_class: Any, tmp_path: Path
) -> None:
    cases = write(tmp_path / "er" / "processed", algorithm, published_class, hints=hints)
    (tmp_path / "er" / "processed" / "pre_filter.pt").write_bytes(b"")
    imported = ImportedDataset(tmp_path / "er", algorithm)
    assert len(imported) == len(cases)
    for data, case in zip(imported, cases):
        wanted = expected(case, hints=hints)
        assert set(data.keys()) == {*wanted, *NAMES}
        for name, values in wanted.items():
            np.testing.assert_array_equal(data[name].numpy(), values)
            assert data[name].dtype == torch.from_numpy(np.atleast_1d(values)).dtype
    assert set(imported.specs) == {*data.inputs, *data.hints, *data.outputs}
    batches = list(SALSACLRSDataLoader(imported, batch_size=8))
    assert sum(batch.num_graphs for batch in batches) == len(cases)
    assert bool(batches[0].hints) == hints
    without = ImportedDataset(tmp_path / "er", algorithm, ignore_all_hints=True)
    assert without[0].hints == []


def test_published_samples_are_judged(algorithm: str, published_class: Any, tmp_path: Path) -> None:
    write(tmp_path / "processed", algorithm, published_class)
    imported = ImportedDataset(tmp_path, algorithm)
    outputs = imported[0].outputs
    perfect = {
        name: [batch[name] - 0.5 for batch in SALSACLRSDataLoader(imported, batch_size=8)]
        if algorithm == "fast_mis"
        else [batch[name] for batch in SALSACLRSDataLoader(imported, batch_size=8)]
        for name in outputs
    }
    scores = Evaluator(algorithm).eval({"dataset": imported, **perfect})
    assert scores["graph_accuracy"] == 1.0
    assert scores.get("valid", 1.0) == 1.0


def test_the_published_package_need_not_be_there(tmp_path: Path, published_class: Any) -> None:
    write(tmp_path / "processed", "bfs", published_class)
    script = (
        "import sys; from salsa_clrs.pt_file import read_pt; found = read_pt(sys.argv[1]);"
        "assert 'torch' not in sys.modules; print(sorted(found['outputs']))"
    )
    path = tmp_path / "processed" / "data_0.pt"
    told = subprocess.run(
        [sys.executable, "-c", script, path], check=True, capture_output=True, text=True
    ).stdout
    assert told == "['pi']\n"


class Hostile:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)


def archive(pickled: bytes, **records: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("sample/data.pkl", pickled)
        for name, numbers in records.items():
            written.writestr(f"sample/data/{name[1:]}", numbers)
    return file.getvalue()


def test_a_hostile_file_runs_nothing(tmp_path: Path, published_class: Any) -> None:
    mark, path = tmp_path / "mark", tmp_path / "data_0.pt"
    data = published_class(edge_index=torch.zeros(2, 0, dtype=torch.long), pos=Hostile(mark))
    torch.save(data, path)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"it asks for (posix|nt)\.system"):
            read_pt(path)
        # The first file was one that PyTorch had written, the second is not.
        path.write_bytes(archive(pickle.dumps(Hostile(mark))))
    assert not mark.exists()
    # The plain pickle of a file that is no archive is not even looked at.
    path.write_bytes(pickle.dumps(Hostile(mark)))
    with pytest.raises(ValueError, match="it holds no sample"):
        read_pt(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "asked",
    [
        b"cbuiltins\neval\n(V1\ntR.",
        b"cbuiltins\n__import__\n(Vos\ntR.",
        b"ctorch.storage\n_load_from_bytes\n(V1\ntR.",
        b"csalsa_clrs.data\nCLRSData.__init__\n.",
        b"csalsa_clrs.pt_file\nos\n.",
        b"\x80\x04\x8c\x08builtins\x8c\x04exec\x93.",
        b"Vnothing\n.",
        b"(Vstorage\nctorch\nFloatStorage\nV../../etc/passwd\nVcpu\nI4\ntQ.",
        b"(Vmodule\nctorch\nFloatStorage\nV0\nVcpu\nI4\ntQ.",
        b"I1\nQ.",
        b"",
    ],
)
def test_what_is_no_sample_is_refused(asked: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data_0.pt"
    path.write_bytes(archive(asked))
    with pytest.raises(ValueError, match=r"data_0\.pt"):
        read_pt(path)


@pytest.mark.parametrize(
    ("offset", "shape", "strides"),
    [
        (0, (5,), (1,)),
        (4, (1,), (1,)),
        (-1, (1,), (1,)),
        (0, (1 << 40,), (0,)),
        (0, (2, 2), (3, 1)),
        (0, (2,), (-1,)),
        (0, (2, 2), (2,)),
    ],
)
def test_a_tensor_stays_within_its_numbers(
    offset: int, shape: tuple[int, ...], strides: tuple[int, ...], tmp_path: Path
) -> None:
    def text(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(b"I%d\n" % value for value in values) + b"t"

    storage = b"(Vstorage\nctorch\nFloatStorage\nV0\nVcpu\nI4\ntQ"
    call = b"ctorch._utils\n_rebuild_tensor_v2\n("
    pickled = call + storage + b"I%d\n" % offset + text(shape) + text(strides) + b"tR."
    path = tmp_path / "data_0.pt"
    path.write_bytes(archive(pickled, _0=np.zeros(4, np.float32).tobytes()))
    with pytest.raises(ValueError, match="tensor"):
        read_pt(path)


def test_damage_never_gives_a_wrong_sample(tmp_path: Path, published_class: Any) -> None:
    write(tmp_path / "processed", "bfs", published_class)
    path = tmp_path / "processed" / "data_0.pt"
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    sound = ImportedDataset(tmp_path, "bfs")[0]
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged[: rng.integers(len(whole)) if rng.random() < 0.3 else None])
        try:
            data = ImportedDataset(tmp_path, "bfs")[0]
        except ValueError:
            continue
        # What still reads was damaged where nothing is stored.
        for name in sound.keys():
            same = data[name] == sound[name]
            assert same if isinstance(same, bool) else bool(same.all())


def test_samples_of_something_else_are_refused(tmp_path: Path, published_class: Any) -> None:
    write(tmp_path / "processed", "bfs", published_class)
    with pytest.raises(ValueError, match="is it a sample of dfs"):
        ImportedDataset(tmp_path, "dfs")[0]
    path = tmp_path / "processed" / "data_0.pt"
    data = torch.load(path, weights_only=False)
    data.pi = data.pi[:-1]
    torch.save(data, path)
    with pytest.raises(ValueError, match=r"data_0\.pt: pi: expected float64 \[\d+\], found"):
        ImportedDataset(tmp_path, "bfs")[0]
    (tmp_path / "processed" / "data_1.pt").unlink()
    with pytest.raises(FileNotFoundError, match=r"data_1\.pt: the file is missing"):
        ImportedDataset(tmp_path, "bfs")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        ImportedDataset(tmp_path / "none", "bfs")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"there is no data_0\.pt"):
        ImportedDataset(tmp_path / "empty", "bfs")
    with pytest.raises(ValueError, match="unknown algorithm"):
        salsa_clrs.ImportedDataset(tmp_path, "bsf")
