// Products of matrices: out (+)= activation(sum of parts a · b + bias + addend).
//
// Operands have any strides, so one routine serves layers and both of their gradients. A tile of
// the result is computed by a block; slices of the operands come through shared memory, a few
// stages ahead. Small products are cut into small tiles, in which groups of threads share the
// inner dimension, because a few blocks with little to do would take longer than many.
//
//   p[2i], p[2i + 1]  operands of part i, at most four parts
//   p[8] out, p[9] bias, p[10] addend, p[11] the addend's row of each row
//   p[12], p[13]      origin of maxima and row of each entry, for a masked first operand
//   s[5i ..]          of part i: inner size, strides of a (row, inner) and b (inner, column)
//   s[20] rows, s[21] columns, s[22] stride of out, s[23] flags, s[24] number of parts,
//   s[25] stride of the addend

enum { PRODUCT_ADD = 1, PRODUCT_RELU = 2, PRODUCT_MASKED_ROWS = 4, PRODUCT_MASKED_INNER = 8 };

static __device__ __forceinline__ void copy_ahead(float* to, const float* from, bool valid) {
    u32 address = (u32)__cvta_generic_to_shared(to);
    int bytes = valid ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

static __device__ __forceinline__ void close_stage() { asm volatile("cp.async.commit_group;"); }

template <int AHEAD>
static __device__ __forceinline__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD));
}

// Copies a slice [SLICE, SIZE] of an operand; `at` is its first row (or column), `inner` its first
// inner index. The threads of a warp follow whichever stride is 1.
template <int SIZE, int SLICE>
static __device__ __forceinline__ void load_slice(
    float* to, const float* from, u32 stride, u32 inner_stride, u32 at, u32 limit, u32 inner,
    u32 inner_limit) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (inner_stride == 1) {
        // Eight inner indices by four rows a warp: whole sectors, and no two in one bank.
        const int warps_along = SLICE / 8;
        const int k = warp % warps_along * 8 + lane % 8;
        const int first = warp / warps_along * 4 + lane / 8, step = WARPS / warps_along * 4;
        const bool there = inner + k < inner_limit;
#pragma unroll
        for (int i = 0; i < SIZE / step; i++) {
            const int row = first + i * step;
            const bool valid = there && at + row < limit;
            const float* source = valid ? from + (u64)(at + row) * stride + inner + k : from;
            copy_ahead(to + k * (SIZE + 4) + row, source, valid);
        }
    } else {
        const int warps_along = SIZE / 32;
        const int row = warp % warps_along * 32 + lane;
        const int first = warp / warps_along, step = WARPS / warps_along;
        const bool there = at + row < limit;
#pragma unroll
        for (int i = 0; i < SLICE / step; i++) {
            const int k = first + i * step;
            const bool valid = there && inner + k < inner_limit;
            const float* source =
                valid ? from + (u64)(at + row) * stride + (u64)(inner + k) * inner_stride : from;
            copy_ahead(to + k * (SIZE + 4) + row, source, valid);
        }
    }
}

// The gradient of a maximum, spread over entries: `from [nodes, columns]` where the entry was the
// largest, else 0. Entries are rows of the operand, or its inner dimension.
template <int SIZE, int SLICE>
static __device__ __forceinline__ void load_masked(
    float* to, const Op& op, bool entries_are_rows, u32 at, u32 limit, u32 inner, u32 inner_limit) {
    const float* from = floats(op, 0);
    const u32 *origin = numbers(op, 12), *rows = numbers(op, 13);
    const u32 columns = entries_are_rows ? inner_limit : limit;
    for (int i = threadIdx.x; i < SIZE * SLICE; i += THREADS) {
        const int row = entries_are_rows ? i / SLICE : i % SIZE;
        const int k = entries_are_rows ? i % SLICE : i / SIZE;
        float value = 0.0f;
        if (at + row < limit && inner + k < inner_limit) {
            const u32 entry = entries_are_rows ? at + row : inner + k;
            const u32 column = entries_are_rows ? inner + k : at + row;
            const u64 place = (u64)rows[entry] * columns + column;
            if (origin[place] == entry) value = from[place];
        }
        to[k * (SIZE + 4) + row] = value;
    }
}

// A tile SIZE x SIZE with SPLIT groups of threads along the inner dimension.
template <int SIZE, int SLICE, int SPLIT, int STAGES, bool MASKED>
static __device__ void product_tile(const Op& op, u32 tile, float* shared) {
    const int STAGE = SLICE * (SIZE + 4);
    const int TEAM = THREADS / SPLIT, ACROSS = SIZE / 4;
    float* slices_a = shared;
    float* slices_b = shared + STAGES * STAGE;
    const u32 rows = op.s[20], columns = op.s[21], parts = op.s[24];
    const u32 tiles_across = (columns + SIZE - 1) / SIZE;
    const u32 row0 = tile / tiles_across * SIZE, column0 = tile % tiles_across * SIZE;
    const int team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
    const int across = member % ACROSS * 4, down = member / ACROSS * 4;

    u32 stages = 0;
    for (u32 part = 0; part < parts; part++) stages += (op.s[5 * part] + SLICE - 1) / SLICE;

    u32 next = 0, next_part = 0, next_inner = 0;
    auto load = [&]() {
        if (next < stages) {
            const u32* s = op.s + 5 * next_part;
            const int stage = next % STAGES;
            if (MASKED) {
                load_masked<SIZE, SLICE>(slices_a + stage * STAGE, op, op.s[23] & PRODUCT_MASKED_ROWS,
                                         row0, rows, next_inner, s[0]);
            } else {
                load_slice<SIZE, SLICE>(slices_a + stage * STAGE, floats(op, 2 * next_part), s[1],
                                        s[2], row0, rows, next_inner, s[0]);
            }
            load_slice<SIZE, SLICE>(slices_b + stage * STAGE, floats(op, 2 * next_part + 1), s[4],
                                    s[3], column0, columns, next_inner, s[0]);
            next_inner += SLICE;
            if (next_inner >= s[0]) {
                next_part++;
                next_inner = 0;
            }
        }
        next++;
        close_stage();
    };

    float sums[4][4] = {};
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) load();
    for (u32 stage = 0; stage < stages; stage++) {
        wait_for_stage<STAGES - 2>();
        __syncthreads();
        load();
        const float* a = slices_a + stage % STAGES * STAGE + team * (SLICE / SPLIT) * (SIZE + 4) + down;
        const float* b = slices_b + stage % STAGES * STAGE + team * (SLICE / SPLIT) * (SIZE + 4) + across;
#pragma unroll
        for (int k = 0; k < SLICE / SPLIT; k++) {
            const float4 x = *(const float4*)(a + k * (SIZE + 4));
            const float4 y = *(const float4*)(b + k * (SIZE + 4));
            const float from_a[4] = {x.x, x.y, x.z, x.w}, from_b[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sums[i][j] += from_a[i] * from_b[j];
        }
    }
    wait_for_stage<0>();
    __syncthreads();

    float* out = floats(op, 8);
    const float *bias = floats(op, 9), *addend = floats(op, 10);
    const u32* addend_rows = numbers(op, 11);
    const u32 stride = op.s[22], flags = op.s[23], addend_stride = op.s[25];
    auto finish = [&](u32 row, u32 column, float sum) {
        if (row >= rows || column >= columns) return;
        if (bias) sum += bias[column];
        if (addend) {
            const u32 from = addend_rows ? addend_rows[row] : row;
            sum += addend[(u64)from * addend_stride + column];
        }
        if (flags & PRODUCT_RELU) sum = relu(sum);
        put(out + (u64)row * stride + column, sum, flags & PRODUCT_ADD);
    };
    if (SPLIT == 1) {
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) finish(row0 + down + i, column0 + across + j, sums[i][j]);
    } else {
        // The teams' sums, added in their order.
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                shared[team * SIZE * SIZE + (down + i) * SIZE + across + j] = sums[i][j];
            }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIZE * SIZE / THREADS; i++) {
            const int place = threadIdx.x + i * THREADS;
            float sum = 0.0f;
#pragma unroll
            for (int other = 0; other < SPLIT; other++) sum += shared[other * SIZE * SIZE + place];
            finish(row0 + place / SIZE, column0 + place % SIZE, sum);
        }
    }
    __syncthreads();
}

static __device__ __noinline__ void product_small(const Op& op, u32 tile, float* shared) {
    product_tile<32, 64, 4, 3, false>(op, tile, shared);
}

static __device__ __noinline__ void product_large(const Op& op, u32 tile, float* shared) {
    product_tile<64, 32, 1, 3, false>(op, tile, shared);
}

static __device__ __noinline__ void product_masked(const Op& op, u32 tile, float* shared) {
    product_tile<32, 64, 4, 3, true>(op, tile, shared);
}
