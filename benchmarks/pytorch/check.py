"""Verifies both implementations against the model parity cases.

    python check.py FILES... [--implementation both|published|plain|compiled|captured] [--float64]
                    [--device cpu|cuda]

Deviation of a tensor: norm of the difference over the larger of the tensor's norm and 1% of
its group's norm. A float32 run agrees when that is at most 1e-4 (gradients 1e-3) or 5 times
what the case lists for PyTorch's own float32 run, whichever is larger, never more than 0.1.
Where that listed figure is over 0.02, float32 says nothing, and the case is run in float64 at
1e-6 instead; `--float64` does that for every case. A file without results, as written for
timing, is held to the published step, both in float64.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from captured import Captured
from case import Case, read_case
from implementations import IMPLEMENTATIONS
from on_device import on_device
from outcome import Outcome
from step import full_precision

FLOAT32_SAYS_NOTHING = 0.02
FLOAT64_LIMIT = 1e-6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("files", nargs="+", type=Path)
    choices = ["both", *IMPLEMENTATIONS]
    arguments.add_argument("--implementation", default="both", choices=choices)
    arguments.add_argument("--float64", action="store_true")
    arguments.add_argument("--device", type=torch.device, default="cpu", help="cpu or cuda")
    options = arguments.parse_args()
    full_precision()
    both = ("published", "plain")
    names = both if options.implementation == "both" else (options.implementation,)
    failures = 0
    for name in names:
        passed = [check(path, name, options.float64, options.device) for path in options.files]
        failures += len(passed) - sum(passed)
        print(f"{name}: {sum(passed)} of {len(passed)} cases agree")
    sys.exit(1 if failures else 0)


def check(path: Path, implementation: str, float64: bool, device: torch.device) -> bool:
    """Runs one case and prints the worst group of tensors."""
    case = read_case(path)
    unstable = max(case.float32_deviation.values(), default=0.0) > FLOAT32_SAYS_NOTHING
    precision = torch.float64 if float64 or unstable or not case.expected else torch.float32
    computed = read_case(path, precision)
    if not case.expected:
        computed = replace(computed, expected=results(computed, "published", device))
    worst = (0.0, "nothing", 0.0)
    for group, deviation in deviations(computed, implementation, device).items():
        limit = allowed(case, group) if precision is torch.float32 else FLOAT64_LIMIT
        worst = max(worst, (deviation / limit, group, deviation))
    share, group, deviation = worst
    agrees = share <= 1.0
    print(
        f"{implementation:9} {path.stem:36} {str(precision).removeprefix('torch.')} "
        f"{'agrees' if agrees else 'DIFFERS'}: worst {group} {deviation:.2e}, "
        f"{share:.0%} of the limit"
    )
    return agrees


def allowed(case: Case, group: str) -> float:
    """The largest deviation a float32 run may have in a group."""
    fixed = 1e-3 if group == "grad" else 1e-4
    return min(0.1, max(fixed, 5.0 * case.float32_deviation.get(group, 0.0)))


def deviations(case: Case, implementation: str, device: torch.device) -> dict[str, float]:
    """The worst deviation of each group of tensors."""
    found = results(case, implementation, device)
    by_group: dict[str, list[str]] = {}
    for name in case.expected:
        by_group.setdefault(name.split("/")[0], []).append(name)
    surplus = {name for name, tensor in found.items() if name not in case.expected}
    if surplus:
        raise ValueError(f"{case.path}: unexpected {sorted(surplus)}")
    worst = {}
    for group, names in by_group.items():
        expected = {name: case.expected[name].double().flatten() for name in names}
        floor = 0.01 * torch.cat(list(expected.values())).norm().item()
        worst[group] = 0.0
        for name, tensor in expected.items():
            difference = (found[name].double().flatten() - tensor).norm().item()
            scale = max(tensor.norm().item(), floor)
            deviation = difference / scale if scale > 0 else difference
            worst[group] = max(worst[group], math.inf if math.isnan(deviation) else deviation)
    return worst


def results(case: Case, implementation: str, device: torch.device) -> dict[str, Tensor]:
    """One training step without the optimiser, then one evaluation, named as in the case."""
    model: Any = IMPLEMENTATIONS[implementation](on_device(case, device))
    prepared = on_device(model.prepare(case), device)
    model.train()

    def step() -> Outcome:
        for parameter in model.parameters():
            parameter.grad = None
        outcome = model(prepared)
        outcome.losses.total.backward()
        return outcome

    outcome = (captured(step, model) if implementation == "captured" else step)()
    losses = outcome.losses
    found = {
        "loss/total": losses.total,
        "loss/output": losses.output,
        "loss/hint": losses.hint,
        "loss/hidden": losses.hidden,
        "train_hidden": outcome.hidden,
        f"train_output/{case.output.name}": outcome.output_prediction(),
    }
    found |= {f"hint_loss/{name}": loss for name, loss in losses.hints.items()}
    found |= {f"train_hint/{name}": hint for name, hint in outcome.hint_predictions().items()}
    found |= {f"grad/{name}": grad for name, grad in gradients(model).items()}
    statistics = {
        name: buffer.clone() for name, buffer in model.named_buffers() if "running" in name
    }
    found |= {f"buffer_after/{name}": buffer for name, buffer in statistics.items()}
    model.eval()
    with torch.no_grad():
        outcome = model(prepared)
    found["eval_hidden"] = outcome.hidden
    found[f"eval_output/{case.output.name}"] = outcome.output_prediction()
    return {name: tensor.detach().cpu() for name, tensor in found.items()}


def captured(step: Callable[[], Outcome], model: Any) -> Captured:
    """The step as a CUDA graph, with the batch-norm statistics as they were before its warm-up."""
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    graph = Captured(step)
    for name, buffer in model.named_buffers():
        buffer.copy_(before[name])
    return graph


def gradients(model: Any) -> dict[str, Tensor]:
    """Gradient of every parameter that took part."""
    if hasattr(model, "gradients"):
        return model.gradients()
    return {
        name: parameter.grad
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }


if __name__ == "__main__":
    main()
