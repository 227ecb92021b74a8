// Runs many operators in one launch, or one operator on the whole GPU.

enum {
    COPY, PRODUCT_SMALL, PRODUCT_MEDIUM, PRODUCT_LARGE, COLUMN_SUMS, LAYER_NORM,
    LAYER_NORM_INPUT, LAYER_NORM_LEARNED, BATCH_NORM, BATCH_NORM_RUNNING, BATCH_NORM_GRADIENT,
    GRU_GATES, GRU_GATES_GRADIENT, MESSAGES, MESSAGES_SOURCE, MESSAGES_ENDS, GATHER_MAX, GATHER_MAX_SOURCE, GATHER_MAX_SCALE,
    EDGE_DOT, EDGE_DOT_GRADIENT, SEGMENT_REDUCE, SEGMENT_REDUCE_GRADIENT, SPREAD, LOG_SOFTMAX,
    LOG_SOFTMAX_GRADIENT, FILL, UNARY, UNARY_GRADIENT, BINARY, BINARY_GRADIENT, SCALED_SUM, MOVE,
    TRANSPOSE, GATHER_ROWS, SCATTER_ROWS, DOT, PICKED, LOSS, LOSS_GRADIENT, ROW_NORMS, MEAN,
    MEAN_NORM_GRADIENT, SQUARES, CLIP, ADAM, DEFERRED_PRODUCTS,
    DEFERRED_COLUMNS, DEFERRED_TOTALS
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
        case MESSAGES_ENDS: messages_ends(slot, tile, shared); break;
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
        case DEFERRED_PRODUCTS: deferred_products(slot, tile, shared); break;
        case DEFERRED_COLUMNS: deferred_columns(slot, tile, shared); break;
        case DEFERRED_TOTALS: deferred_totals(slot, tile, shared); break;
    }
}

// Begins to copy the turns from a multiple of TURNS on.
static __device__ __forceinline__ void bring_turns(const Turn* turns, u32 number) {
    if (number < n_turns && threadIdx.x < TURNS / 2) {
        const u32 at = 2 * threadIdx.x;
        const u32 to = (u32)__cvta_generic_to_shared(turns_here + number % (2 * TURNS) + at);
        copy_ahead(to, (const float*)(turns + first_turn + number + at));
    }
}

// Begins to copy the description of a turn's operator.
static __device__ __forceinline__ void bring_description(const Op* ops, u32 number) {
    if (number < n_turns && threadIdx.x < sizeof(Op) / 16) {
        const u32 to = (u32)__cvta_generic_to_shared(described + number % 2) + 16 * threadIdx.x;
        copy_ahead(to, (const float*)(ops + (turn(number).tile >> 22)) + 4 * threadIdx.x);
    }
}

// What blocks count with: those that have finished a phase; those that came first to their
// multiprocessor, and the others; and the blocks of each multiprocessor.
struct Header {
    u32 arrived, first, others, unused, blocks[508];
};

// The list of a block. Lists get shorter, and two blocks of a multiprocessor are in each other's
// way, so whoever comes first to one takes the next from the start, and others from the end.
static __device__ __forceinline__ uint2 taken_list(const uint2* lists, Header* header) {
    const bool first = atomicAdd(&header->blocks[own_multiprocessor() % 508], 1) == 0;
    const u32 number = atomicAdd(first ? &header->first : &header->others, 1);
    return lists[first ? number : gridDim.x - 1 - number];
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    run_program(const Op* ops, const Turn* turns, const uint2* lists, Header* header) {
    extern __shared__ float4 dynamic[];
    if (threadIdx.x == 0) {
        const uint2 list = taken_list(lists, header);
        first_turn = list.x;
        n_turns = list.y;
        arrived = &header->arrived;
        current = 0;
    }
    __syncthreads();
    bring_turns(turns, 0);
    close_stage();
    wait_for_stage<0>();
    __syncthreads();
    bring_description(ops, 0);
    close_stage();
    while (true) {
        // The last tile is done and this turn's description there.
        wait_for_stage<0>();
        __syncthreads();
        const u32 number = current;
        // The next one waits, so the last was the last of its phase.
        if (threadIdx.x == 0 && number && (number == n_turns || turn(number).after)) {
            release_one(arrived);
        }
        if (number >= n_turns) return;
        // In the place of turns that nobody looks at any more.
        if (number % TURNS == 1) bring_turns(turns, number - 1 + TURNS);
        bring_description(ops, number + 1);
        close_stage();
        run_tile(number % 2, turn(number).tile & 0x3fffffu, (float*)dynamic);
    }
}

// One operator.
extern "C" __global__ void __launch_bounds__(THREADS, 2) run_one(const __grid_constant__ Op op) {
    extern __shared__ float4 dynamic[];
    if (threadIdx.x < sizeof(Op) / 4) ((u32*)described)[threadIdx.x] = ((const u32*)&op)[threadIdx.x];
    // Nothing to wait for.
    if (threadIdx.x < 2 * TURNS) turns_here[threadIdx.x].after = 0;
    if (threadIdx.x == 0) current = 0;
    for (u32 tile = blockIdx.x; tile < op.tiles; tile += gridDim.x) {
        __syncthreads();
        run_tile(0, tile, (float*)dynamic);
    }
}
