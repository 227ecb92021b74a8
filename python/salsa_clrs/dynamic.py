"""Data that change as a training goes on."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .published import SALSACLRSDataset
    from .specs import Feature


class DynamicDataset:
    """Data sets that follow each other, each from an epoch on; they share their features."""

    def __init__(self) -> None:
        self.datasets: list[tuple[int, SALSACLRSDataset]] = []
        self.current_epoch = 0

    def add_dataset(self, start_epoch: int, dataset: SALSACLRSDataset) -> None:
        """Uses `dataset` from epoch `start_epoch` on."""
        if self.datasets and dataset.specs != self.specs:
            raise ValueError("expected a data set with the features of those before")
        self.datasets = sorted([*self.datasets, (start_epoch, dataset)], key=lambda entry: entry[0])

    @property
    def specs(self) -> dict[str, Feature]:
        """Stage, location, type and number of categories of every feature."""
        return self._first().specs

    @property
    def reload_every_n_epochs(self) -> int:
        """How often a loader must be made anew to miss no change; 0 if there is none."""
        return gcd(*(start for start, _ in self.datasets[1:]))

    @property
    def current_dataset(self) -> SALSACLRSDataset:
        """The data set of the current epoch; before all, the first."""
        begun = [dataset for start, dataset in self.datasets if start <= self.current_epoch]
        return begun[-1] if begun else self._first()

    def set_epoch(self, epoch: int) -> None:
        self.current_epoch = epoch

    def get(self) -> SALSACLRSDataset:
        return self.current_dataset

    def _first(self) -> SALSACLRSDataset:
        if not self.datasets:
            raise ValueError("there is no data set yet, add one with add_dataset")
        return self.datasets[0][1]
