// Runs operators one after the other in one launch, or one operator on the whole GPU.

enum {
    COPY, PRODUCT_SMALL, PRODUCT_MEDIUM, PRODUCT_LARGE, COLUMN_SUMS, LAYER_NORM, LAYER_NORM_INPUT,
    LAYER_NORM_LEARNED, BATCH_NORM, BATCH_NORM_RUNNING, BATCH_NORM_GRADIENT, GRU_GATES,
    GRU_GATES_GRADIENT, MESSAGES, MESSAGES_SOURCE, GATHER_MAX, GATHER_MAX_SOURCE, GATHER_MAX_SCALE,
    EDGE_DOT, EDGE_DOT_GRADIENT, SEGMENT_REDUCE, SEGMENT_REDUCE_GRADIENT, SPREAD, LOG_SOFTMAX,
    LOG_SOFTMAX_GRADIENT, FILL, UNARY, UNARY_GRADIENT, BINARY, BINARY_GRADIENT, SCALED_SUM, MOVE,
    TRANSPOSE, GATHER_ROWS, SCATTER_ROWS, DOT, PICKED, LOSS, LOSS_GRADIENT, ROW_NORMS, MEAN,
    MEAN_NORM_GRADIENT, SQUARES, CLIP, ADAM
};

static __device__ __forceinline__ void run_tile(u32 slot, u32 tile, float* shared) {
    switch (described[slot].code) {
        case COPY: copy(slot, tile, shared); break;
        case PRODUCT_SMALL: product_small(slot, tile, shared); break;
        case PRODUCT_MEDIUM: product_medium(slot, tile, shared); break;
        case PRODUCT_LARGE: product_large(slot, tile, shared); break;
        case COLUMN_SUMS: column_sums(slot, tile, shared); break;
        case LAYER_NORM: layer_norm(slot, tile, shared); break;
        case LAYER_NORM_INPUT: layer_norm_input(slot, tile, shared); break;
        case LAYER_NORM_LEARNED: layer_norm_learned(slot, tile, shared); break;
        case BATCH_NORM: batch_norm(slot, tile, shared); break;
        case BATCH_NORM_RUNNING: batch_norm_running(slot, tile, shared); break;
        case BATCH_NORM_GRADIENT: batch_norm_gradient(slot, tile, shared); break;
        case GRU_GATES: gru_gates(slot, tile, shared); break;
        case GRU_GATES_GRADIENT: gru_gates_gradient(slot, tile, shared); break;
        case MESSAGES: messages(slot, tile, shared); break;
        case MESSAGES_SOURCE: messages_source(slot, tile, shared); break;
        case GATHER_MAX: gather_max(slot, tile, shared); break;
        case GATHER_MAX_SOURCE: gather_max_source(slot, tile, shared); break;
        case GATHER_MAX_SCALE: gather_max_scale(slot, tile, shared); break;
        case EDGE_DOT: edge_dot(slot, tile, shared); break;
        case EDGE_DOT_GRADIENT: edge_dot_gradient(slot, tile, shared); break;
        case SEGMENT_REDUCE: segment_reduce(slot, tile, shared); break;
        case SEGMENT_REDUCE_GRADIENT: segment_reduce_gradient(slot, tile, shared); break;
        case SPREAD: spread(slot, tile, shared); break;
        case LOG_SOFTMAX: log_softmax(slot, tile, shared); break;
        case LOG_SOFTMAX_GRADIENT: log_softmax_gradient(slot, tile, shared); break;
        case FILL: fill(slot, tile, shared); break;
        case UNARY: unary(slot, tile, shared); break;
        case UNARY_GRADIENT: unary_gradient(slot, tile, shared); break;
        case BINARY: binary(slot, tile, shared); break;
        case BINARY_GRADIENT: binary_gradient(slot, tile, shared); break;
        case SCALED_SUM: scaled_sum(slot, tile, shared); break;
        case MOVE: move(slot, tile, shared); break;
        case TRANSPOSE: transpose(slot, tile, shared); break;
        case GATHER_ROWS: gather_rows(slot, tile, shared); break;
        case SCATTER_ROWS: scatter_rows(slot, tile, shared); break;
        case DOT: dot(slot, tile, shared); break;
        case PICKED: picked(slot, tile, shared); break;
        case LOSS: loss(slot, tile, shared); break;
        case LOSS_GRADIENT: loss_gradient(slot, tile, shared); break;
        case ROW_NORMS: row_norms(slot, tile, shared); break;
        case MEAN: mean(slot, tile, shared); break;
        case MEAN_NORM_GRADIENT: mean_norm_gradient(slot, tile, shared); break;
        case SQUARES: squares(slot, tile, shared); break;
        case CLIP: clip(slot, tile, shared); break;
        case ADAM: adam(slot, tile, shared); break;
    }
}

// Waits until all blocks are here; what they wrote before can be read after. `arrived` counts
// up from 0 over a whole launch.
static __device__ __forceinline__ void barrier(u32* arrived, u32 target) {
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        u32 now;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        } while (now < target);
    }
    __syncthreads();
}

// Begins to copy descriptions, to the half of shared memory that `batch` belongs to.
static __device__ __forceinline__ void describe(const Op* ops, u32 count, u32 batch) {
    const u32 first = batch * DESCRIBED, i = threadIdx.x;
    const u32 pieces = sizeof(Op) / 16;
    if (first < count && i < min(DESCRIBED, count - first) * pieces) {
        float* to = (float*)(described + batch % 2 * DESCRIBED) + 4 * i;
        copy_ahead((u32)__cvta_generic_to_shared(to), (const float*)(ops + first) + 4 * i, 16);
    }
    close_stage();
}

// A program: all blocks run all operators, each its own tiles.
extern "C" __global__ void __launch_bounds__(THREADS, 1) run_program(const Op* ops, u32 count, u32* arrived) {
    extern __shared__ float4 dynamic[];
    float* shared = (float*)dynamic;
    u32 barriers = 0;
    describe(ops, count, 0);
    for (u32 batch = 0; batch * DESCRIBED < count; batch++) {
        wait_for_stage<0>();
        __syncthreads();
        describe(ops, count, batch + 1);
        const u32 here = min(DESCRIBED, count - batch * DESCRIBED);
        for (u32 i = 0; i < here; i++) {
            const u32 slot = batch % 2 * DESCRIBED + i;
            const Op& op = described[slot];
            if (op.barrier) barrier(arrived, ++barriers * gridDim.x);
            u32 tile = blockIdx.x >= op.first ? blockIdx.x - op.first : blockIdx.x + gridDim.x - op.first;
            for (; tile < op.tiles; tile += gridDim.x) run_tile(slot, tile, shared);
        }
    }
}

// One operator.
extern "C" __global__ void __launch_bounds__(THREADS, 1) run_one(const __grid_constant__ Op op) {
    extern __shared__ float4 dynamic[];
    if (threadIdx.x < sizeof(Op) / 4) ((u32*)described)[threadIdx.x] = ((const u32*)&op)[threadIdx.x];
    __syncthreads();
    for (u32 tile = blockIdx.x; tile < op.tiles; tile += gridDim.x) run_tile(0, tile, (float*)dynamic);
}
