"""The twins compute what the Rust networks do: the parity cases, and networks trained here."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import salsa_clrs

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")

from salsa_clrs import models  # noqa: E402

CASES = Path(__file__).parents[2] / "crates" / "learn" / "tests" / "parity"
PROCESSORS = {"GIN": "gin", "GINE": "gin", "PGN": "pgn", "RecGNN": "recgnn"}
RESULTS = ("buffer_after/", "train_", "loss/", "hint_loss/", "grad/", "eval_")


def group(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name[len(prefix) :]: it for name, it in tensors.items() if name.startswith(prefix)}


def deviations(found: dict[str, Any], expected: dict[str, Any]) -> dict[str, float]:
    """Of each group: the norm of the difference over that of the tensor or 1% of the group's."""
    worst: dict[str, float] = {}
    for kind in {name.split("/")[0] for name in expected}:
        own = {n: t.double().flatten() for n, t in expected.items() if n.split("/")[0] == kind}
        floor = 0.01 * torch.cat(list(own.values())).norm().item()
        for name, tensor in own.items():
            assert found[name].numel() == tensor.numel(), name
            difference = (found[name].double().flatten() - tensor).norm().item()
            scale = max(tensor.norm().item(), floor)
            deviation = difference / scale if scale > 0 else difference
            worst[kind] = max(
                worst.get(kind, 0.0), math.inf if math.isnan(deviation) else deviation
            )
    return worst


def step_last(hint: Any) -> Any:
    """[n, T, C] of a batch to [n, C, T] of the cases."""
    return hint.transpose(1, 2) if hint.dim() == 3 else hint


def computed(model: Any, batch: dict[str, Any], metadata: dict[str, str]) -> dict[str, Any]:
    """One training step without the optimiser, then an evaluation, named as in the cases."""
    model.train()
    outcome = model(batch)
    losses = model.losses(
        batch,
        outcome,
        hint_weight=float(metadata["hint_loss_weight"]),
        hidden_weight=float(metadata["hidden_loss_weight"]),
    )
    losses.total.backward()
    found = {
        "loss/total": losses.total,
        "loss/output": sum(losses.outputs.values()),
        "loss/hint": sum(losses.hints.values(), torch.zeros(1)),
        "loss/hidden": losses.hidden,
        "train_hidden": outcome.hidden,
    }
    found |= {f"train_output/{name}": it for name, it in outcome.outputs.items()}
    found |= {f"train_hint/{name}": step_last(it) for name, it in outcome.hints.items()}
    found |= {f"hint_loss/{name}": it for name, it in losses.hints.items()}
    learned = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    found |= {f"grad/{name}": it for name, it in learned.items()}
    kept = {name: it.clone() for name, it in model.named_buffers() if "running" in name}
    found |= {f"buffer_after/{name}": it for name, it in kept.items()}
    model.eval()
    with torch.no_grad():
        outcome = model(batch)
    assert not outcome.hints
    found["eval_hidden"] = outcome.hidden
    found |= {f"eval_output/{name}": it for name, it in outcome.outputs.items()}
    return {name: it.detach() for name, it in found.items()}


@pytest.mark.parametrize("path", sorted(CASES.glob("*.safetensors")), ids=lambda path: path.stem)
def test_a_parity_case_agrees(path: Path) -> None:
    with safetensors.safe_open(path, framework="pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    reference = json.loads(metadata["float32_deviation"])
    # Where the reference's own float32 is off by that much, float32 says nothing.
    double = max(reference.values(), default=0.0) > 0.02
    dtype = torch.float64 if double else torch.float32
    model = models.EncodeProcessDecode(
        metadata["algorithm"],
        PROCESSORS[metadata["processor"]],
        hidden=int(metadata["hidden_dim"]),
        hints=json.loads(metadata["hints"]),
        convention=metadata["convention"],
    ).to(dtype)
    model.load_state_dict({**group(tensors, "param/"), **group(tensors, "buffer_before/")})
    batch = group(tensors, "batch/")
    batch["batch"] = batch.pop("graph")
    expected = {name: it for name, it in tensors.items() if name.startswith(RESULTS)}
    found = computed(model, batch, metadata)
    assert set(found) == set(expected)
    for kind, deviation in deviations(found, expected).items():
        fixed = 1e-3 if kind == "grad" else 1e-4
        limit = 1e-6 if double else min(0.1, max(fixed, 5 * reference.get(kind, 0.0)))
        assert deviation <= limit, kind


def test_there_are_54_cases() -> None:
    assert len(list(CASES.glob("*.safetensors"))) == 54


@pytest.fixture(scope="module", params=["bfs-pgn", "dijkstra-gin", "mis-recgnn", "mst-pgn"])
def training(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> salsa_clrs.Training:
    algorithm, model = request.param.split("-")
    return salsa_clrs.train(
        algorithm,
        model,
        out=tmp_path_factory.mktemp("twin") / "run",
        hints=algorithm == "dijkstra",
        epochs=2,
        hidden=8,
        train_samples=64,
        validation_samples=4,
        seed=5,
        learning_rate=0.01,
        aggregation="mean" if algorithm == "mis" else "max",
        steps_per_hint=2 if algorithm == "bfs" else 1,
        convention="release" if algorithm == "mst" else "paper",
    )


def asked_of(training: salsa_clrs.Training) -> salsa_clrs.Samples:
    return salsa_clrs.dataset(training.settings["algorithm"], "er_16", hints=False)[:6]


def assert_scores_agree(found: dict[str, Any], twin: Any, batch: salsa_clrs.Batch) -> None:
    """Scores are as near to those in double precision as PyTorch's own single precision is."""
    with torch.no_grad():
        single = twin(batch).outputs
        double = copy.deepcopy(twin).double()(batch).outputs
    assert found.keys() == double.keys()
    for name, exact in double.items():
        near, given = (it.double().flatten() for it in (single[name], torch.tensor(found[name])))
        scale = exact.norm().item()
        limit = max(1e-4, 5 * (near - exact.flatten()).norm().item() / scale)
        assert limit < 0.1, f"{name}: single precision says nothing"
        assert (given - exact.flatten()).norm().item() / scale <= limit, name


def test_a_twin_answers_like_the_network(training: salsa_clrs.Training) -> None:
    tests, twin = asked_of(training), models.load(training)
    assert_scores_agree(salsa_clrs.scores(training, tests), twin, tests.batch(range(6)))
    same, answers = [], salsa_clrs.predict(training, tests)
    for answer, sample in zip(answers, tests):
        with torch.no_grad():
            outputs = twin(salsa_clrs.Batch.of(sample.algorithm, sample.arrays(False))).outputs
        ((name, scores),) = outputs.items()
        if name == "pi":
            rows = [np.flatnonzero(sample.edge_index[0] == node) for node in range(sample.n_nodes)]
            best = [row[scores[row].argmax()] for row in rows]
            same.append(answer.outputs[name] == sample.edge_index[1][best])
        else:
            same.append(answer.outputs[name] == (scores > 0).numpy())
    # Two scores may be so near that either is the larger.
    assert np.concatenate(same).mean() > 0.98


def test_data_of_pytorch_geometric_give_the_same(training: salsa_clrs.Training) -> None:
    pytest.importorskip("torch_geometric")
    tests, twin = asked_of(training), models.load(training)
    algorithm = salsa_clrs.specs._PUBLISHED[tests.algorithm]
    published = salsa_clrs.load_dataset(algorithm, "test", "unused")["er_16"]
    loader = salsa_clrs.SALSACLRSDataLoader(published[:6], batch_size=6)
    name = next(iter(twin.output_features))
    with torch.no_grad():
        arrays = twin(tests.batch(range(6))).outputs[name]
        # The suites of both names are not the same graphs; the batches are.
        (batch,) = loader
        numpy = salsa_clrs.Batch.of(tests.algorithm, published.arrays(range(6)))
        assert torch.equal(twin(batch).outputs[name], twin(numpy).outputs[name])
        alone = twin(published[0]).outputs[name]
        assert torch.allclose(alone, twin(batch).outputs[name][: alone.numel()], atol=1e-5)
    assert arrays.dim() == 1


def test_a_state_dict_is_that_of_the_twin(training: salsa_clrs.Training) -> None:
    state, twin = salsa_clrs.state_dict(training), models.load(training.checkpoint)
    own = {name: it for name, it in twin.state_dict().items() if "num_batches" not in name}
    assert state.keys() == own.keys()
    assert all(torch.equal(state[name], own[name]) for name in own)


def test_a_saved_twin_is_the_checkpoint_it_came_from(
    training: salsa_clrs.Training, tmp_path: Path
) -> None:
    path = tmp_path / "twin.safetensors"
    models.save(models.load(training), path)
    tests = asked_of(training)
    found, expected = (salsa_clrs.scores(it, tests) for it in (path, training))
    assert all(np.array_equal(found[name], expected[name]) for name in expected)
    assert salsa_clrs.evaluate(path, tests) == salsa_clrs.evaluate(training, tests)
    assert models.load(path).settings == models.load(training).settings


def test_a_twin_learns_as_the_network_does(tmp_path: Path) -> None:
    """PGN alone: batch norms in a recurrence make more of rounding than a few steps can bear."""
    settings: dict[str, Any] = {
        "hints": True,
        "hidden": 8,
        "batch": 8,
        "train_samples": 8,
        "validation_samples": 1,
    }

    def train(out: str, **more: Any) -> salsa_clrs.Training:
        return salsa_clrs.train("dijkstra", "pgn", out=tmp_path / out, **settings, **more)

    # So small a rate leaves the first weights as they are.
    start = train("start", epochs=1, learning_rate=1e-30)
    twin = models.load(start).train()
    batch = salsa_clrs.dataset("dijkstra", "train").batch(range(8))
    optimiser = torch.optim.AdamW(twin.parameters(), lr=0.003, weight_decay=0.01)
    losses = []
    for _ in range(5):
        loss = twin.losses(batch, twin(batch)).total
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    assert losses == pytest.approx(train("whole", epochs=5, learning_rate=0.003).losses, rel=1e-4)
    assert losses[-1] < losses[0]


def test_a_trained_twin_becomes_a_checkpoint(tmp_path: Path) -> None:
    torch.manual_seed(0)
    twin = models.EncodeProcessDecode("bfs", "gin", hidden=8)
    train = salsa_clrs.dataset("bfs", "train", hints=False)[:64]
    optimiser = torch.optim.AdamW(twin.parameters(), lr=0.01)
    first = last = 0.0
    for _ in range(3):
        for batch in train.batches(8):
            loss = twin.losses(batch, twin(batch)).total
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            first, last = first or loss.item(), loss.item()
    assert last < first
    path = tmp_path / "bfs.safetensors"
    models.save(twin, path)
    tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:4]
    with torch.no_grad():
        expected = twin.eval()(tests.batch(range(4))).outputs["pi"]
    np.testing.assert_allclose(salsa_clrs.scores(path, tests)["pi"], expected, atol=1e-4)
    assert salsa_clrs.evaluate(path, tests)["er_16"].graphs == 4


@pytest.mark.parametrize("algorithm", salsa_clrs.algorithms())
def test_there_is_a_twin_for_every_algorithm(algorithm: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    path = tmp_path / "twin.safetensors"
    for processor in models.PROCESSORS:
        twin = models.EncodeProcessDecode(algorithm, processor, hidden=4, hints=True)
        samples = salsa_clrs.dataset(algorithm, "train")[:3]
        batch = samples.batch(range(3))
        models.save(twin.eval(), path)
        assert_scores_agree(salsa_clrs.scores(path, samples), twin, batch)
        outcome = twin.train()(batch)
        assert {name: it.shape for name, it in outcome.outputs.items()} == {
            name: it.shape for name, it in batch.outputs.items()
        }
        assert {name: it.shape for name, it in outcome.hints.items()} == {
            name: it.shape for name, it in batch.hints.items()
        }
        twin.losses(batch, outcome).total.backward()


def test_what_no_twin_can_be_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="processor: expected one of gin, pgn, recgnn"):
        models.EncodeProcessDecode("bfs", "gat")
    with pytest.raises(ValueError, match="unknown algorithm"):
        models.EncodeProcessDecode("bsf")
    twin = models.EncodeProcessDecode("bfs", hidden=4)
    twin.processor.norm = torch.nn.LayerNorm(5)
    with pytest.raises(ValueError, match=r"expected shape \[4\], found \[5\]"):
        models.save(twin, tmp_path / "twin.safetensors")
    twin = models.EncodeProcessDecode("bfs", hidden=4)
    twin.processor.more = torch.nn.Linear(1, 1)
    with pytest.raises(ValueError, match=r"processor.more.bias.: the model has none of that name"):
        models.save(twin, tmp_path / "twin.safetensors")
    assert not (tmp_path / "twin.safetensors").exists()
