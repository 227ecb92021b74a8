"""Data that change by epoch, and all data of a training for Lightning."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import salsa_clrs  # noqa: E402
from salsa_clrs import DynamicDataset, SALSACLRSDataset  # noqa: E402


def paths(n: int, algorithm: str = "bfs", nickname: str | None = None) -> SALSACLRSDataset:
    return SALSACLRSDataset(
        None,
        "train",
        algorithm,
        num_samples=6,
        nickname=nickname,
        graph_generator="path",
        graph_generator_kwargs={"n": n},
    )


def test_the_data_set_follows_the_epoch() -> None:
    dynamic = DynamicDataset()
    with pytest.raises(ValueError, match="no data set yet"):
        dynamic.get()
    for epoch, n in [(15, 8), (0, 4), (10, 6)]:
        dynamic.add_dataset(epoch, paths(n))
    assert dynamic.reload_every_n_epochs == 5
    sizes = []
    for epoch in (0, 9, 10, 14, 15, 99, 3):
        dynamic.set_epoch(epoch)
        sizes.append(dynamic.get()[0].num_nodes)
    assert sizes == [4, 4, 6, 6, 8, 8, 4]
    assert dynamic.specs == paths(4).specs
    with pytest.raises(ValueError, match="features"):
        dynamic.add_dataset(20, paths(4, "dfs"))


def test_one_data_set_needs_no_reloading() -> None:
    dynamic = DynamicDataset()
    dynamic.add_dataset(0, paths(4))
    assert dynamic.reload_every_n_epochs == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_module_gives_loaders(workers: int) -> None:
    pytest.importorskip("lightning")
    module = salsa_clrs.SALSACLRSDataModule(
        train_dataset=paths(4),
        val_datasets=[paths(5), paths(6, nickname="six")],
        test_datasets=paths(7, nickname="seven"),
        test_batch_size=2,
        batch_size=3,
        num_workers=workers,
    )
    assert next(iter(module.train_dataloader())).num_nodes == 12
    assert [next(iter(loader)).num_nodes for loader in module.val_dataloader()] == [15, 18]
    assert [next(iter(loader)).num_nodes for loader in module.test_dataloader()] == [14]
    assert [module.get_val_loader_nickname(i) for i in range(2)] == [0, "six"]
    assert module.get_test_loader_nickname(0) == "seven"


@pytest.mark.filterwarnings("ignore")
def test_lightning_trains_on_data_that_change() -> None:
    pl = pytest.importorskip("lightning.pytorch")
    seen: list[int] = []

    class Nothing(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch: Any, _: int) -> torch.Tensor:
            seen.append(batch.num_nodes)
            return self.layer(batch.pos[:, None]).square().mean()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), 0.1)

    dynamic = DynamicDataset()
    dynamic.add_dataset(0, paths(4))
    dynamic.add_dataset(1, paths(5))
    module = salsa_clrs.SALSACLRSDataModule(train_dataset=dynamic, batch_size=6)
    trainer = pl.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        reload_dataloaders_every_n_epochs=module.reload_every_n_epochs,
    )
    trainer.fit(Nothing(), module)
    assert seen == [24, 30, 30]


def test_a_module_takes_what_there_is() -> None:
    tests = {name: it[:2] for name, it in salsa_clrs.load_dataset("bfs", "test").items()}
    module = salsa_clrs.SALSACLRSDataModule(test_datasets=tests, batch_size=2)
    assert module.val_dataloader() == []
    assert len(module.test_dataloader()) == 15
    assert module.get_test_loader_nickname(0) == "er_16"
    pair = tuple(tests.values())[:2]
    module = salsa_clrs.SALSACLRSDataModule(val_datasets=pair, test_datasets=pair, batch_size=2)
    assert (len(module.val_dataloader()), len(module.test_dataloader())) == (2, 2)
    assert module.get_val_loader_nickname(1) == "er_80"
