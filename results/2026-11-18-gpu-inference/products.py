"""The same layers as `--example large_products` by PyTorch in single precision, on a GPU."""

import time

import torch

SHAPES = [
    (131072, 384, 384),
    (131072, 128, 128),
    (12800, 384, 384),
    (12800, 384, 128),
    (12800, 128, 384),
    (12800, 128, 128),
]
TIMES, SAMPLES = 50, 4000

torch.backends.cuda.matmul.allow_tf32 = False
for rows, columns, inner in SHAPES:
    x = 1.2 * torch.rand(rows, inner, device="cuda") - 0.2
    w = 1.2 * torch.rand(columns, inner, device="cuda") - 0.2
    found = torch.nn.functional.linear(x, w).flatten()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(TIMES):
        torch.nn.functional.linear(x, w)
    torch.cuda.synchronize()
    each = (time.perf_counter() - begin) / TIMES
    at = torch.arange(SAMPLES, device="cuda") * 7919993 % found.numel()
    terms = x.double()[at // columns] * w.double()[at % columns]
    error = (found[at].double() - terms.sum(1)).abs() / terms.abs().sum(1)
    rate = 2e-12 * rows * columns * inner / each
    print(f"{rows:>6} x {columns} x {inner}: {1e6 * each:6.1f} us, {rate:5.1f} TFLOP/s, error {error.max():.1e}")
