"""On machines with a GPU: batches reach it, and networks there compute what they do on a CPU.

`SALSA_TEST_CUDA=1` says that there is one for our own networks, which can be emulated.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import salsa_clrs

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from salsa_clrs import models  # noqa: E402

has_gpu = torch.cuda.is_available()
for_torch = pytest.mark.skipif(not has_gpu, reason="PyTorch has no GPU")
for_ours = pytest.mark.skipif(
    not has_gpu and os.environ.get("SALSA_TEST_CUDA") != "1", reason="there is no GPU"
)


def loader(n_samples: int = 12, **more: Any) -> salsa_clrs.SALSACLRSDataLoader:
    tests = salsa_clrs.load_dataset("dijkstra", "test", "unused")["er_16"]
    return salsa_clrs.SALSACLRSDataLoader(tests[:n_samples], batch_size=4, **more)


def tensors(batch: Any) -> dict[str, Any]:
    return {key: it for key, it in batch.to_dict().items() if isinstance(it, torch.Tensor)}


@for_torch
@pytest.mark.parametrize("workers", [0, 2])
def test_batches_are_pinned_and_moved(workers: int) -> None:
    batches = list(loader(pin_memory=True, num_workers=workers))
    plain = list(loader())
    assert len(batches) == len(plain) == 3
    for pinned, other in zip(batches, plain):
        assert all(it.is_pinned() for it in tensors(pinned).values())
        moved, expected = pinned.to("cuda", non_blocking=True), tensors(other)
        torch.cuda.synchronize()
        assert tensors(moved).keys() == expected.keys()
        for key, it in tensors(moved).items():
            assert it.is_cuda, key
            assert torch.equal(it.cpu(), expected[key]), key
        assert moved.hints == other.hints
        assert moved.num_graphs == other.num_graphs


@for_torch
@pytest.mark.parametrize("processor", ["gin", "pgn", "recgnn"])
def test_a_twin_learns_there(processor: str) -> None:
    torch.manual_seed(3)
    twin = models.EncodeProcessDecode("dijkstra", processor, hidden=16, hints=False).cuda()
    optimiser = torch.optim.Adam(twin.parameters(), lr=0.01)
    (batch,) = (it.to("cuda") for it in loader(4))
    losses = []
    for _ in range(20):
        optimiser.zero_grad()
        loss = twin.losses(batch, twin(batch)).total
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]


@for_torch
def test_scores_that_lie_there_are_judged() -> None:
    tests = salsa_clrs.load_dataset("dijkstra", "test", "unused")["er_16"][:12]
    recorded = [batch.to("cuda").pi.float() for batch in loader()]
    found = salsa_clrs.Evaluator("dijkstra").eval({"dataset": tests, "pi": recorded})
    assert found["graph_accuracy"] == found["valid"] == 1.0


@for_ours
def test_training_there_is_training_here(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "epochs": 3,
        "hidden": 16,
        "train_samples": 64,
        "validation_samples": 16,
    }
    here = salsa_clrs.train("bfs", "pgn", out=tmp_path / "cpu", **asked)
    there = salsa_clrs.train("bfs", "pgn", out=tmp_path / "cuda", device="cuda", **asked)
    assert there.losses == pytest.approx(here.losses, rel=1e-3)
    tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:20]
    (scores,), (same,) = (
        salsa_clrs.scores(here, tests, device=device).values() for device in ("cpu", "cuda")
    )
    assert np.allclose(scores, same, rtol=1e-3, atol=1e-4)
    on_cpu, on_gpu = (
        salsa_clrs.evaluate(here, ["er_16"], samples=100, device=device)["er_16"]["node_accuracy"]
        for device in ("cpu", "cuda")
    )
    assert on_gpu == pytest.approx(on_cpu, abs=0.002)
