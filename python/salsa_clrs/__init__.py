"""SALSA-CLRS: executions of algorithms on sparse graphs, for NumPy and PyTorch Geometric.

    >>> import salsa_clrs
    >>> train = salsa_clrs.dataset("bfs", "train")
    >>> len(train)
    10000
    >>> batch = train.batch(range(8))
    >>> sorted(batch.hints)
    ['pi_h', 'reach_h']

Samples come from the Rust core when they are asked for: no download, no files, the same bytes for
the same seed everywhere. Code written for the published package runs after changing `salsaclrs`
to `salsa_clrs`; those names need PyTorch Geometric and are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _interpreter  # noqa: F401 (first: it refuses what the core cannot be loaded by)
from ._core import Sample, generators, suites
from .batch import Batch
from .drawing import Drawing, draw
from .evaluator import Evaluator, Result
from .own import Algorithm, Problem, Recorder, define
from .run import run
from .samples import Samples, dataset, stream
from .specs import ALGORITHMS, SPECS, algorithms
from .trained import Prediction, Scores, evaluate, predict, scores
from .training import Epoch, Training, resume, train

if TYPE_CHECKING:
    from . import models
    from .data import CLRSData
    from .dynamic import DynamicDataset
    from .imported import ImportedDataset
    from .loader import SALSACLRSDataLoader
    from .models import state_dict
    from .module import SALSACLRSDataModule
    from .published import SALSACLRSDataset, load_dataset

__all__ = [
    "ALGORITHMS",
    "SPECS",
    "Algorithm",
    "Batch",
    "CLRSData",
    "Drawing",
    "DynamicDataset",
    "Epoch",
    "Evaluator",
    "ImportedDataset",
    "Prediction",
    "Problem",
    "Recorder",
    "Result",
    "SALSACLRSDataLoader",
    "SALSACLRSDataModule",
    "SALSACLRSDataset",
    "Sample",
    "Samples",
    "Scores",
    "Training",
    "algorithms",
    "dataset",
    "define",
    "draw",
    "evaluate",
    "generators",
    "load_dataset",
    "models",
    "predict",
    "resume",
    "run",
    "scores",
    "state_dict",
    "stream",
    "suites",
    "train",
]

# What needs PyTorch Geometric or Lightning, and where it is.
_LATE = {
    "CLRSData": "data",
    "DynamicDataset": "dynamic",
    "ImportedDataset": "imported",
    "SALSACLRSDataLoader": "loader",
    "SALSACLRSDataModule": "module",
    "SALSACLRSDataset": "published",
    "load_dataset": "published",
    "models": "models",
    "state_dict": "models",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("salsa-clrs")
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = import_module(f".{_LATE[name]}", __name__)
        value = found if name == _LATE[name] else getattr(found, name)
    except ModuleNotFoundError as error:
        extra = {"torch": "geometric", "torch_geometric": "geometric", "lightning": "lightning"}
        missing = (error.name or "").partition(".")[0]
        if missing not in extra:
            raise
        advice = f"pip install 'salsa-clrs[{extra[missing]}]'"
        raise ImportError(f"{name} needs {missing}: {advice}", name=missing) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
