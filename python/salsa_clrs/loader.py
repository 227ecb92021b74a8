"""The data loader: whole batches are made and collated in Rust.

PyTorch asks a data set for the samples of a batch at once (`__getitems__`). Ours answers with a
promise (`Promised`), which this loader's collator lets the core make in one call; any other
collator finds an ordinary sequence of data objects in it. Without worker processes, threads of
the core make the next batches while the present one is used.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import torch
from torch_geometric.data import Batch

from ._core import Ahead
from .data import NAMES, CLRSBatch, CLRSData, padded, several

if TYPE_CHECKING:
    from ._core import Arrays, Split
    from .published import SALSACLRSDataset


# Batches that wait take about as much memory at most, or one batch if that is more: dense hints of
# large graphs have gigabytes.
AHEAD_BYTES = 1 << 30


class Promised(Sequence[CLRSData]):
    """Samples of a data set that are made when looked at, one by one or all at once."""

    def __init__(self, dataset: SALSACLRSDataset, indices: Sequence[int]) -> None:
        self._dataset = dataset
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> CLRSData: ...
    @overload
    def __getitem__(self, index: slice) -> Promised: ...
    def __getitem__(self, index: int | slice) -> CLRSData | Promised:
        if isinstance(index, slice):
            return Promised(self._dataset, self._indices[index])
        return self._dataset.get(self._indices[index])

    def collated(self, exclude_keys: Sequence[str] | None) -> CLRSBatch:
        """All of them as one graph."""
        arrays = self._dataset.arrays(self._indices)
        return several(self._dataset.core_algorithm, arrays, exclude_keys)


class CLRSCollator:
    """Puts samples together, hints and random values padded to the longest."""

    def __init__(
        self,
        follow_batch: Sequence[str] | None = None,
        exclude_keys: Sequence[str] | None = None,
    ) -> None:
        self.follow_batch = follow_batch
        self.exclude_keys = exclude_keys

    def __call__(self, samples: Any) -> Any:
        if isinstance(samples, CLRSData):
            return samples
        if isinstance(samples, Promised) and not self.follow_batch:
            return samples.collated(self.exclude_keys)
        excluded = [*(self.exclude_keys or ()), *NAMES]
        batch = CLRSBatch.from_data_list(padded(samples), self.follow_batch, excluded)
        for name in NAMES:
            batch[name] = samples[0][name]
        return batch


class SALSACLRSDataLoader(torch.utils.data.DataLoader[Batch]):
    """Batches of a data set, shuffled or in order.

    Args:
        dataset: a `SALSACLRSDataset`, or any data set or list of `CLRSData`.
        batch_size: how many samples a batch has.
        shuffle: whether the order is another in each epoch.
        follow_batch: attributes to make assignment vectors for, as in PyTorch Geometric.
        exclude_keys: attributes to leave out.
        **kwargs: whatever `torch.utils.data.DataLoader` takes.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool = False,
        follow_batch: Sequence[str] | None = None,
        exclude_keys: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        # PyTorch Lightning makes a loader again from its attributes.
        kwargs.pop("collate_fn", None)
        self.follow_batch = follow_batch
        self.exclude_keys = exclude_keys
        collator = CLRSCollator(follow_batch, exclude_keys)
        super().__init__(dataset, batch_size, shuffle, collate_fn=collator, **kwargs)

    def __iter__(self) -> Any:
        plain = getattr(self.dataset, "plain_source", None)
        source = None if plain is None else plain()
        # Workers have a process each, and what is not a whole batch of ours PyTorch puts together.
        if source is None or self.num_workers > 0 or self.follow_batch or not self.batch_sampler:
            return super().__iter__()
        # PyTorch's own loader draws a seed for workers even if it has none.
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        return self._batches(*source)

    def _batches(self, split: Split, places: Sequence[int], hints: bool) -> Iterator[CLRSBatch]:
        """Batches as threads make them ahead; in order, whatever their number."""
        algorithm, excluded = split.algorithm, self.exclude_keys
        pins = self.pin_memory and torch.cuda.is_available()
        asked = ([places[index] for index in batch] for batch in iter(self.batch_sampler))
        threads = min(4, os.cpu_count() or 1)
        ahead = Ahead(split, hints, threads)
        # Before the first is there, nobody knows how large they are.
        waiting = deque(map(ahead.push, islice(asked, 1)))
        while waiting:
            waiting.popleft()
            arrays = ahead.pop()
            most = min(2 * threads, max(1, AHEAD_BYTES // n_bytes(arrays)))
            waiting.extend(map(ahead.push, islice(asked, max(0, most - len(waiting)))))
            batch = several(algorithm, arrays, excluded)
            yield batch.pin_memory() if pins else batch


def n_bytes(arrays: Arrays) -> int:
    """The memory of a batch."""
    features = [arrays["inputs"], arrays["hints"], arrays["outputs"]]
    values = [value.nbytes for stage in features for value in stage.values()]
    return arrays["edge_index"].nbytes + sum(values)
