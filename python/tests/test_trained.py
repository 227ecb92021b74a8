"""Trained networks: what they answer, and how good that is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import salsa_clrs
from salsa_clrs import Training


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    return salsa_clrs.train(
        "bfs",
        "pgn",
        out=tmp_path_factory.mktemp("trained") / "run",
        epochs=3,
        hidden=16,
        train_samples=256,
        validation_samples=8,
        learning_rate=0.005,
    )


def test_an_evaluation_has_every_set_with_its_metrics(training: Training) -> None:
    found = salsa_clrs.evaluate(training, ["er_16", "ws_16"], samples=12)
    assert list(found) == ["er_16", "ws_16"]
    scores = found["er_16"]
    assert list(scores) == ["graph_accuracy", "node_accuracy", "valid"]
    assert 0.5 < scores["node_accuracy"] <= 1
    assert scores["valid"] >= scores["graph_accuracy"]
    assert (scores.graphs, scores.results["valid"].count) == (12, 12)
    low, high = scores.results["node_accuracy"].interval or (1, 0)
    assert low <= scores["node_accuracy"] <= high
    assert sum(scores.violations.values()) == round(12 * (1 - scores["valid"]))


def test_one_thread_or_several_is_the_same(training: Training) -> None:
    one, two = (salsa_clrs.evaluate(training, "val", samples=20, threads=n) for n in (1, 2))
    assert one == two


def test_samples_are_judged_like_the_split_they_come_from(training: Training) -> None:
    tests = salsa_clrs.dataset("bfs", "er_16")[:10]
    (named,) = salsa_clrs.evaluate(training, ["er_16"], samples=10).values()
    assert salsa_clrs.evaluate(training, tests) == {"er_16": named}
    assert salsa_clrs.evaluate(training, {"mine": list(tests)}) == {"mine": named}
    with pytest.raises(ValueError, match="two sets are called 'er_16'; a mapping can name them"):
        salsa_clrs.evaluate(training, ["er_16", tests])


def test_all_test_sets_and_another_suite(training: Training) -> None:
    assert len(salsa_clrs.evaluate(training, samples=1)) == 15
    paper, release = (
        salsa_clrs.evaluate(training, "er_16", samples=20, suite=suite)
        for suite in ("paper", "release")
    )
    assert paper != release


def test_predictions_are_what_the_evaluator_judges(training: Training) -> None:
    tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:10]
    predictions = salsa_clrs.predict(training, tests)
    (scores,) = salsa_clrs.evaluate(training, tests).values()
    right = [
        np.mean(prediction.outputs["pi"] == sample.output("pi"))
        for prediction, sample in zip(predictions, tests)
    ]
    assert np.isclose(np.mean(right), scores["node_accuracy"])
    assert np.mean([prediction.valid for prediction in predictions]) == scores["valid"]
    assert all((it.violation is None) == it.valid for it in predictions)
    assert [it.steps for it in predictions] == [sample.length for sample in tests]

    decoded = salsa_clrs.scores(training, tests)
    judged = salsa_clrs.Evaluator("bfs").eval({"dataset": tests, "pi": decoded["pi"]})
    assert judged == pytest.approx(dict(scores))


def test_a_single_sample_has_a_single_answer(training: Training) -> None:
    sample = salsa_clrs.run("bfs", [[0, 1, 2], [1, 2, 3]], source=0)
    answer = salsa_clrs.predict(training, sample, steps="auto")
    assert answer.outputs["pi"].shape == (4,)
    assert answer.outputs["pi"].dtype == np.int64
    assert 1 <= answer.steps <= 16
    assert salsa_clrs.predict(training, sample, steps=2).steps == 2


def test_every_kind_of_output_has_its_form(tmp_path: Path) -> None:
    for algorithm, name, dtype in (("mis", "inmis", bool), ("eccentricity", "eccentricity", float)):
        training = salsa_clrs.train(
            algorithm,
            "pgn",
            out=tmp_path / algorithm,
            epochs=1,
            hidden=4,
            train_samples=8,
            validation_samples=4,
        )
        sample = salsa_clrs.dataset(algorithm, "er_16")[0]
        output = salsa_clrs.predict(training, sample).outputs[name]
        assert (output.dtype, output.shape) == (dtype, np.shape(sample.output(name)))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sets": ["er_17"]}, ValueError, 'suite paper has no split "er_17"'),
        ({"sets": "er_16", "samples": 10**6}, ValueError, "samples: split er_16 has 1000 samples"),
        ({"sets": "er_16", "samples": 0}, ValueError, "samples: split er_16 has 1000 samples"),
        ({"sets": "er_16", "steps": "soon"}, ValueError, "steps: expected recorded, auto or a"),
        ({"sets": {"a": "er_16"}}, TypeError, "expected a sample, a data set or samples"),
    ],
)
def test_what_cannot_be_evaluated_is_told(
    training: Training, arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        salsa_clrs.evaluate(training, **arguments)  # type: ignore[arg-type]


def test_samples_of_another_algorithm_are_refused(training: Training) -> None:
    other = salsa_clrs.dataset("mis", "er_16")[0]
    with pytest.raises(ValueError, match="is of mis, expected bfs"):
        salsa_clrs.predict(training, other)
    with pytest.raises(ValueError, match="is of mis, expected bfs"):
        salsa_clrs.scores(training, other)


def test_no_checkpoint_is_no_crash(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        salsa_clrs.evaluate(tmp_path / "absent.safetensors")
    (tmp_path / "other").write_text(json.dumps({}))
    with pytest.raises(ValueError, match="other"):
        salsa_clrs.evaluate(tmp_path / "other")
