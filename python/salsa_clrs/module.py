"""All data of a training for PyTorch Lightning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import lightning.pytorch as pl
from torch.utils.data import Dataset

from .dynamic import DynamicDataset
from .loader import SALSACLRSDataLoader

if TYPE_CHECKING:
    from .published import SALSACLRSDataset

_Sets = Union[
    "SALSACLRSDataset", Sequence["SALSACLRSDataset"], Mapping[str, "SALSACLRSDataset"], None
]


class SALSACLRSDataModule(pl.LightningDataModule):
    """Data for training, validation and test.

    Args:
        train_dataset: shuffled; a `DynamicDataset` gives that of the current epoch, for a trainer
            with `reload_dataloaders_every_n_epochs=module.reload_every_n_epochs`.
        val_datasets: one or several, in a list or by name.
        test_datasets: one or several, such as all of `load_dataset(..., "test")`; their loaders
            have no workers.
        test_batch_size: another batch size for tests.
        **kwargs: for the loaders, such as `batch_size` and `num_workers`.
    """

    def __init__(
        self,
        train_dataset: SALSACLRSDataset | DynamicDataset | None = None,
        val_datasets: _Sets = None,
        test_datasets: _Sets = None,
        *,
        test_batch_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.train_dataset = train_dataset
        is_one = val_datasets is None or isinstance(val_datasets, Dataset)
        self.val_datasets: Any = val_datasets if is_one else _listed(val_datasets)
        self.test_datasets: list[Any] = _listed(test_datasets)
        self.test_batch_size = test_batch_size
        self.kwargs = kwargs
        self.reload_every_n_epochs = 0
        if isinstance(train_dataset, DynamicDataset):
            self.reload_every_n_epochs = train_dataset.reload_every_n_epochs
        self._val_dataloaders: Any = None

    def get_val_loader_nickname(self, idx: int) -> str | int:
        """What to call a validation set in logs."""
        is_list = isinstance(self.val_datasets, list)
        return (self.val_datasets[idx] if is_list else self.val_datasets).nickname or idx

    def get_test_loader_nickname(self, idx: int) -> str | int:
        """What to call a test set in logs."""
        return self.test_datasets[idx].nickname or idx

    def dataloader(self, dataset: Any, **kwargs: Any) -> SALSACLRSDataLoader:
        return SALSACLRSDataLoader(dataset, **kwargs)

    def train_dataloader(self) -> SALSACLRSDataLoader:
        dataset: Any = self.train_dataset
        if isinstance(dataset, DynamicDataset):
            dataset.set_epoch(self.trainer.current_epoch if self.trainer else 0)
            dataset = dataset.get()
        return self._kept(dataset, shuffle=True)

    def val_dataloader(self) -> SALSACLRSDataLoader | list[SALSACLRSDataLoader]:
        if self.val_datasets is None:
            return []
        if self._val_dataloaders is None:
            if isinstance(self.val_datasets, list):
                loaders = [self._kept(one, shuffle=False) for one in self.val_datasets]
                self._val_dataloaders = loaders
            else:
                self._val_dataloaders = self._kept(self.val_datasets, shuffle=False)
        return self._val_dataloaders

    def test_dataloader(self) -> list[SALSACLRSDataLoader]:
        kwargs = {**self.kwargs, "num_workers": 0}
        kwargs.pop("persistent_workers", None)
        kwargs.pop("prefetch_factor", None)
        if self.test_batch_size is not None:
            kwargs["batch_size"] = self.test_batch_size
        return [self.dataloader(one, shuffle=False, **kwargs) for one in self.test_datasets]

    def _kept(self, dataset: Any, *, shuffle: bool) -> SALSACLRSDataLoader:
        """A loader whose workers, if it has any, live as long as it does."""
        kept = {"persistent_workers": self.kwargs.get("num_workers", 0) > 0, **self.kwargs}
        return self.dataloader(dataset, shuffle=shuffle, **kept)


def _listed(given: Any) -> list[Any]:
    """Data sets one after the other, however they were given."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.values())
    return list(given) if isinstance(given, (list, tuple)) else [given]
