// Gradients of layers as sums over the rows of many operators, which the host describes in a table.
//
// A tile is DEFERRED_TILE rows and columns of what a chunk of operators gives; what all chunks give is
// added up by another operator. Rows of both operands follow each other in their inner index, so
// slices come to shared memory as they are, and a thread reads four values of neighbouring rows or
// columns at a time. Sums of tensor cores are taken out after every slice.

static const u32 DEFERRED_TILE = 64, DEFERRED_SLICE = 32, DEFERRED_PARTS = 64;

// Rows of a gradient and of the input that belongs to it.
struct DeferredPart {
    const float *dy, *x;
    u32 stride, rows, unused[2];
};

// The parts of a chunk, in shared memory; how many there are.
static __device__ __forceinline__ u32 chunk_of(const Op& op, u32 chunk, DeferredPart* parts) {
    const u32 first = chunk * op.s[3], count = min(op.s[3], op.s[2] - first);
    const float4* from = (const float4*)((const DeferredPart*)op.p[0] + first);
    if (threadIdx.x < 2 * count) ((float4*)parts)[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    return count;
}

// out [chunks, columns, width] (+)= sums of dy [rows, columns] transposed * x [rows, width].
//   p: table, out;  s: columns, width, parts, parts of a chunk, tiles across, tiles of a chunk, how far
//   rows of out are apart, add;  either there is one chunk, or out has nothing between its rows
static __device__ __noinline__ void deferred_products(u32 slot, u32 tile, float* shared) {
    using Side = Slices<DEFERRED_TILE, false, DEFERRED_SLICE>;
    const u32 STAGES = 4, STAGE = 2 * Side::FLOATS;
    static_assert(STAGES * STAGE + DEFERRED_PARTS * sizeof(DeferredPart) / 4 <= SHARED_FLOATS, "what there is");
    static_assert(2 * DEFERRED_PARTS <= THREADS, "a thread for each half");
    const Op& op = described[slot];
    const u32 columns = op.s[0], width = op.s[1], chunk = tile / op.s[5], in_chunk = tile - chunk * op.s[5];
    const u32 down = in_chunk / op.s[4];
    const u32 row0 = down * DEFERRED_TILE, column0 = (in_chunk - down * op.s[4]) * DEFERRED_TILE;
    DeferredPart* parts = (DeferredPart*)(shared + STAGES * STAGE);
    wait_for_inputs();
    const u32 count = chunk_of(op, chunk, parts);
    u32 slices = 0;
#pragma unroll 1
    for (u32 i = 0; i < count; i++) slices += (parts[i].rows + DEFERRED_SLICE - 1) / DEFERRED_SLICE;

    Side from_dy, from_x;
    const u32 place = (u32)__cvta_generic_to_shared(shared);
    u32 next = 0, part = 0;
    auto load_next = [&]() {
        if (from_dy.left <= 0 && part < count) {
            from_dy.begin(parts[part].dy, parts[part].stride, row0, columns, parts[part].rows);
            from_x.begin(parts[part].x, width, column0, width, parts[part].rows);
            part++;
        }
        if (from_dy.left > 0) {
            const u32 to = place + next * (4 * STAGE);
            from_dy.copy(to, true, row0, columns);
            from_x.copy(to + 4 * Side::FLOATS, true, column0, width);
            next = next + 1 == STAGES ? 0 : next + 1;
        }
        close_stage();
    };
#pragma unroll 1
    for (u32 i = 0; i < STAGES - 1; i++) load_next();

    // Two warps down and four across, with 32 rows and 16 columns each.
    const u32 warp_row = threadIdx.x / 128 * 32, warp_column = threadIdx.x / 32 % 4 * 16;
    const u32 pair = threadIdx.x % 4 * 2;
    float sums[2][2][4] = {};
    u32 stage = 0;
#pragma unroll 1
    for (; slices; slices--) {
        wait_for_stage<STAGES - 2>();
        __syncthreads();
        load_next();
        const float *dy = shared + stage * STAGE, *x = dy + Side::FLOATS;
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        float of_slice[2][2][4] = {};
#pragma unroll
        for (u32 k = 0; k < DEFERRED_SLICE; k += 8) {
            u32 a_high[4][2], a_rest[4][2], b_high[2][2], b_rest[2][2];
            read_pairs<4, Side::APART, false>(dy, warp_row, k + pair, a_high, a_rest);
            read_pairs<2, Side::APART, false>(x, warp_column, k + pair, b_high, b_rest);
            multiply_parts<2, 2>(of_slice, a_high, a_rest, b_high, b_rest);
        }
#pragma unroll
        for (u32 i = 0; i < 2; i++)
#pragma unroll
            for (u32 j = 0; j < 2; j++)
#pragma unroll
                for (u32 n = 0; n < 4; n++) sums[i][j][n] += of_slice[i][j][n];
    }
    wait_for_stage<0>();
    // A thread has four rows that follow each other, and four columns.
    const u32 row = row0 + warp_row + threadIdx.x % 32 / 4 * 4, column = column0 + warp_column + 2 * pair;
    if (column >= width) return;
    const u32 stride = op.s[6], rows = row < columns ? min(4u, columns - row) : 0;
    float* out = floats(op, 1) + (u64)chunk * columns * width + row * stride + column;
    Pack<4> old[4];
#pragma unroll
    for (u32 i = 0; i < 4; i++) old[i] = old_of<4>(out + i * stride, op.s[7] && i < rows);
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        const float(&own)[2][4] = sums[i / 2];
        const u32 n = i % 2 * 2;
        const Pack<4> sum = {own[0][n], own[1][n], own[0][n + 1], own[1][n + 1]};
        if (i < rows) store(out + i * stride, plus(old[i], sum));
    }
}

// out [chunks, columns] (+)= sums of dy [rows, columns], each row times its x where there is one.  p, s: as above
static __device__ __noinline__ void deferred_columns(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    const u32 columns = op.s[0], chunk = tile / op.s[5], first = (tile - chunk * op.s[5]) * WIDE;
    DeferredPart* parts = (DeferredPart*)(shared + WARPS * WIDE);
    wait_for_inputs();
    const u32 count = chunk_of(op, chunk, parts), c = first + threadIdx.x % (WIDE / 4) * 4;
    Pack<4> sum = filled<4>(0.0f);
#pragma unroll 1
    for (u32 i = 0; i < count && c < columns; i++) {
        add_rows(parts[i].dy + c, parts[i].x, parts[i].rows, parts[i].stride, sum);
    }
    const float all = wide_sum(sum, shared);
    if (threadIdx.x < WIDE && first + threadIdx.x < columns) {
        float* to = floats(op, 1) + chunk * columns + first + threadIdx.x;
        *to = (op.s[7] ? *to : 0.0f) + all;
    }
}

// out [rows, stride] (+)= sums over chunks of partial [chunks, rows, width].
//   p: partial, out;  s: rows * width, width, stride, chunks, add, whether out can be read by fours
template <int N>
static __device__ __forceinline__ void deferred_totals_of(const Op& op, u32 tile) {
    const u32 count = op.s[0], width = op.s[1], stride = op.s[2], chunks = op.s[3];
    each_pack<N>(op, tile, count, [&](u32 i) {
        const u32 row = divided(op, i);
        float* to = floats(op, 1) + row * stride + (i - row * width);
        const Pack<N> old = old_of<N>(to, op.s[4]);
        const float* from = floats(op, 0) + i;
        Pack<N> sum = filled<N>(0.0f);
#pragma unroll 8
        for (u32 chunk = 0; chunk < chunks; chunk++) sum = plus(sum, load<N>(from + (u64)chunk * count));
        store(to, plus(old, sum));
    });
}

static __device__ __noinline__ void deferred_totals(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(deferred_totals_of, op.s[5])
}
