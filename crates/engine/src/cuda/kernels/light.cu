// Operators that wait for memory most of the time, each as a kernel of its own: without the
// registers and the shared memory that products need, up to four times as many threads fit on a
// GPU: BLOCKS on a multiprocessor. A block computes a tile.

#define LIGHT(NAME, COLUMNS, BLOCKS)                              \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) \
        light_##NAME(const __grid_constant__ Op op) {             \
        const u32 tile = blockIdx.x;                              \
        BY_FOURS(NAME##_of, COLUMNS)                              \
    }

LIGHT(fill, op.s[0], 8)
LIGHT(unary, op.s[0], 8)
LIGHT(binary, op.s[0], 8)
LIGHT(scaled_sum, op.s[0], 8)
LIGHT(gather_rows, op.s[1], 8)
LIGHT(layer_norm, op.s[1], 8)
LIGHT(batch_norm_running, op.s[1], 8)
LIGHT(gru_gates, op.s[1], 4)
LIGHT(messages, op.s[2], 8)
LIGHT(gather_max, op.s[1], 6)
LIGHT(segment_reduce, op.s[1], 8)
LIGHT(edge_dot, op.s[1], 8)
