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

static __device__ __forceinline__ void run_tile(const Op& op, u32 tile, float* shared) {
    switch (op.code) {
        case COPY: copy(op, tile, shared); break;
        case PRODUCT_SMALL: product_small(op, tile, shared); break;
        case PRODUCT_MEDIUM: product_medium(op, tile, shared); break;
        case PRODUCT_LARGE: product_large(op, tile, shared); break;
        case COLUMN_SUMS: column_sums(op, tile, shared); break;
        case LAYER_NORM: layer_norm(op, tile, shared); break;
        case LAYER_NORM_INPUT: layer_norm_input(op, tile, shared); break;
        case LAYER_NORM_LEARNED: layer_norm_learned(op, tile, shared); break;
        case BATCH_NORM: batch_norm(op, tile, shared); break;
        case BATCH_NORM_RUNNING: batch_norm_running(op, tile, shared); break;
        case BATCH_NORM_GRADIENT: batch_norm_gradient(op, tile, shared); break;
        case GRU_GATES: gru_gates(op, tile, shared); break;
        case GRU_GATES_GRADIENT: gru_gates_gradient(op, tile, shared); break;
        case MESSAGES: messages(op, tile, shared); break;
        case MESSAGES_SOURCE: messages_source(op, tile, shared); break;
        case GATHER_MAX: gather_max(op, tile, shared); break;
        case GATHER_MAX_SOURCE: gather_max_source(op, tile, shared); break;
        case GATHER_MAX_SCALE: gather_max_scale(op, tile, shared); break;
        case EDGE_DOT: edge_dot(op, tile, shared); break;
        case EDGE_DOT_GRADIENT: edge_dot_gradient(op, tile, shared); break;
        case SEGMENT_REDUCE: segment_reduce(op, tile, shared); break;
        case SEGMENT_REDUCE_GRADIENT: segment_reduce_gradient(op, tile, shared); break;
        case SPREAD: spread(op, tile, shared); break;
        case LOG_SOFTMAX: log_softmax(op, tile, shared); break;
        case LOG_SOFTMAX_GRADIENT: log_softmax_gradient(op, tile, shared); break;
        case FILL: fill(op, tile, shared); break;
        case UNARY: unary(op, tile, shared); break;
        case UNARY_GRADIENT: unary_gradient(op, tile, shared); break;
        case BINARY: binary(op, tile, shared); break;
        case BINARY_GRADIENT: binary_gradient(op, tile, shared); break;
        case SCALED_SUM: scaled_sum(op, tile, shared); break;
        case MOVE: move(op, tile, shared); break;
        case TRANSPOSE: transpose(op, tile, shared); break;
        case GATHER_ROWS: gather_rows(op, tile, shared); break;
        case SCATTER_ROWS: scatter_rows(op, tile, shared); break;
        case DOT: dot(op, tile, shared); break;
        case PICKED: picked(op, tile, shared); break;
        case LOSS: loss(op, tile, shared); break;
        case LOSS_GRADIENT: loss_gradient(op, tile, shared); break;
        case ROW_NORMS: row_norms(op, tile, shared); break;
        case MEAN: mean(op, tile, shared); break;
        case MEAN_NORM_GRADIENT: mean_norm_gradient(op, tile, shared); break;
        case SQUARES: squares(op, tile, shared); break;
        case CLIP: clip(op, tile, shared); break;
        case ADAM: adam(op, tile, shared); break;
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

// So many descriptions are held in shared memory at a time.
static const u32 DESCRIBED = 16;

// A program: all blocks run all operators, each its own tiles.
extern "C" __global__ void __launch_bounds__(THREADS, 1) run_program(const Op* ops, u32 count, u32* arrived) {
    extern __shared__ float4 dynamic[];
    float* shared = (float*)dynamic;
    __shared__ Op described[DESCRIBED];
    u32 barriers = 0;
    for (u32 base = 0; base < count; base += DESCRIBED) {
        const u32 here = min(DESCRIBED, count - base);
        __syncthreads();
        for (u32 i = threadIdx.x; i < here * (sizeof(Op) / 16); i += THREADS) {
            ((uint4*)described)[i] = ((const uint4*)(ops + base))[i];
        }
        __syncthreads();
        for (u32 i = 0; i < here; i++) {
            const Op& op = described[i];
            if (op.barrier) barrier(arrived, ++barriers * gridDim.x);
            for (u32 tile = (blockIdx.x + gridDim.x - op.first) % gridDim.x; tile < op.tiles; tile += gridDim.x) {
                run_tile(op, tile, shared);
            }
        }
    }
}

// One operator.
extern "C" __global__ void __launch_bounds__(THREADS, 1) run_one(const __grid_constant__ Op op) {
    extern __shared__ float4 dynamic[];
    for (u32 tile = blockIdx.x; tile < op.tiles; tile += gridDim.x) run_tile(op, tile, (float*)dynamic);
}
