// Products of matrices: out (+)= activation(sum of parts a · b + bias + addend).
//
// Operands have any strides, so one routine serves layers and both of their gradients. A block
// computes a tile of the result. Slices of the operands come through shared memory, a few stages
// ahead; teams of threads share the inner dimension, and their sums are added in order. Small
// tiles keep many blocks busy and have little to do; large ones read less.
//
//   p[2i], p[2i + 1]  operands of part i, at most four parts
//   p[8] out, p[9] bias, p[10] addend, p[11] the addend's row of each row
//   p[12]             a layer's activated result: where it is not positive, out gets 0
//   s[5i ..]          of part i: inner size, strides of a (row, inner) and b (inner, column)
//   s[20] rows, s[21] columns, s[22] stride of out, s[23] flags, s[24] number of parts,
//   s[25] stride of the addend, s[26] which operands may be read four values at a time,
//   s[27] stride of the activated result, s[28] which parts begin sums of their own, added later

enum { PRODUCT_ADD = 1, PRODUCT_RELU = 2 };

static const int STAGES = 4;
// Floats of one operand's slice in shared memory, at most.
static const int SLICE_FLOATS = 2560;

static __device__ __forceinline__ void copy_ahead(float* to, const float* from, int bytes) {
    const u32 address = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

static __device__ __forceinline__ void copy_one_ahead(float* to, const float* from, int bytes) {
    const u32 address = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

static __device__ __forceinline__ void close_stage() { asm volatile("cp.async.commit_group;"); }

template <int AHEAD>
static __device__ __forceinline__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD));
}

// Copies a slice of an operand, in the order it has in memory: [SIZE, SLICE] where INNER says that
// inner indices follow each other, else [SLICE, SIZE]; rows are padded by four. What lies beyond
// the limits is 0.
template <int SIZE, int SLICE, bool INNER>
static __device__ __forceinline__ void load_slice(
    float* to, const float* from, u32 stride, u32 at, u32 limit, u32 inner, u32 inner_limit, bool wide) {
    const u32 ALONG = INNER ? SLICE : SIZE, ACROSS = INNER ? SIZE : SLICE;
    static_assert(ALONG / 4 * ACROSS % THREADS == 0, "every thread copies as much");
#pragma unroll
    for (u32 n = 0; n < ALONG / 4 * ACROSS / THREADS; n++) {
        const u32 i = threadIdx.x + n * THREADS;
        const u32 line = i / (ALONG / 4), first = i % (ALONG / 4) * 4;
        const u32 row = (INNER ? at : inner) + line, column = (INNER ? inner : at) + first;
        const u32 rows = INNER ? limit : inner_limit, columns = INNER ? inner_limit : limit;
        const int there = row < rows && column < columns ? min(columns - column, 4u) : 0;
        const float* source = there ? from + (u64)row * stride + column : from;
        float* place = to + line * (ALONG + 4) + first;
        if (wide) {
            copy_ahead(place, source, 4 * there);
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++) copy_one_ahead(place + k, k < there ? source + k : from, k < there ? 4 : 0);
        }
    }
}

// A thread's EDGE values of an operand at four inner indices: the rows `at`, `at + SIZE / EDGE`, ...
// where inner indices follow each other, else EDGE rows that do.
template <int SIZE, int EDGE, int SLICE, bool INNER>
static __device__ __forceinline__ void read_four(const float* slice, int at, int k, float (&to)[4][EDGE]) {
    if (INNER) {
#pragma unroll
        for (int i = 0; i < EDGE; i++) {
            const float4 four = *(const float4*)(slice + (at + i * (SIZE / EDGE)) * (SLICE + 4) + k);
            to[0][i] = four.x;
            to[1][i] = four.y;
            to[2][i] = four.z;
            to[3][i] = four.w;
        }
    } else {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            const float* from = slice + (k + n) * (SIZE + 4) + at * EDGE;
            if (EDGE == 4) {
                const float4 four = *(const float4*)from;
                to[n][0] = four.x;
                to[n][1] = four.y;
                to[n][EDGE - 2] = four.z;
                to[n][EDGE - 1] = four.w;
            } else {
                const float2 two = *(const float2*)from;
                to[n][0] = two.x;
                to[n][1] = two.y;
            }
        }
    }
}

// A tile SIZE x SIZE, of which a thread sums EDGE x EDGE. INNER_A and INNER_B say whether the inner
// stride of an operand is 1.
template <int SIZE, int EDGE, int SLICE, bool INNER_A, bool INNER_B>
static __device__ __forceinline__ void product_tile(const Op& op, u32 tile, float* shared) {
    const u32 ACROSS = SIZE / EDGE, TEAM = ACROSS * ACROSS, SPLIT = THREADS / TEAM;
    const u32 OUTS = (SIZE * SIZE + THREADS - 1) / THREADS;
    // Rows of sums are so far apart that the threads of a warp write to different banks.
    const u32 APART = SIZE + (SIZE == 64 ? 16 : 8);
    const u32 rows = op.s[20], columns = op.s[21], parts = op.s[24], flags = op.s[23];
    const u32 tiles_across = (columns + SIZE - 1) / SIZE;
    const u32 row0 = tile / tiles_across * SIZE, column0 = tile % tiles_across * SIZE;
    const u32 team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
    const u32 across = member % ACROSS, down = member / ACROSS;

    u32 stages = 0;
    for (u32 part = 0; part < parts; part++) stages += (op.s[5 * part] + SLICE - 1) / SLICE;

    u32 next = 0, part = 0, inner = 0;
    auto load = [&]() {
        if (next < stages) {
            const u32* s = op.s + 5 * part;
            float* to = shared + next % STAGES * (2 * SLICE_FLOATS);
            load_slice<SIZE, SLICE, INNER_A>(to, floats(op, 2 * part), INNER_A ? s[1] : s[2], row0, rows,
                                             inner, s[0], op.s[26] >> (2 * part) & 1);
            load_slice<SIZE, SLICE, INNER_B>(to + SLICE_FLOATS, floats(op, 2 * part + 1),
                                             INNER_B ? s[4] : s[3], column0, columns, inner, s[0],
                                             op.s[26] >> (2 * part + 1) & 1);
            inner += SLICE;
            if (inner >= s[0]) {
                part++;
                inner = 0;
            }
        }
        next++;
        close_stage();
    };
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) load();

    // What the results are added to, on its way while products are summed.
    float *out = floats(op, 8), *bias = floats(op, 9), *addend = floats(op, 10), *active = floats(op, 12);
    const u32* addend_rows = numbers(op, 11);
    float more[OUTS], old[OUTS], passes[OUTS];
#pragma unroll
    for (u32 i = 0; i < OUTS; i++) {
        const u32 place = threadIdx.x + i * THREADS;
        const u32 row = row0 + place / SIZE, column = column0 + place % SIZE;
        more[i] = old[i] = 0.0f;
        passes[i] = 1.0f;
        if (place < SIZE * SIZE && row < rows && column < columns) {
            if (bias) more[i] = bias[column];
            if (addend) {
                const u32 from = addend_rows ? addend_rows[row] : row;
                more[i] += addend[(u64)from * op.s[25] + column];
            }
            if (flags & PRODUCT_ADD) old[i] = out[(u64)row * op.s[22] + column];
            if (active) passes[i] = active[(u64)row * op.s[27] + column];
        }
    }

    float* of_teams = shared + STAGES * 2 * SLICE_FLOATS;
    u32 stage = 0, now = 0;
    for (bool last = false; !last;) {
        // The parts whose products are summed together.
        float sums[EDGE][EDGE] = {};
        u32 until = stage;
        do {
            until += (op.s[5 * now] + SLICE - 1) / SLICE;
            now++;
        } while (now < parts && !(op.s[28] >> now & 1));
        last = now >= parts;
#pragma unroll 1
        for (; stage < until; stage++) {
            wait_for_stage<STAGES - 2>();
            __syncthreads();
            load();
            const float* a = shared + stage % STAGES * (2 * SLICE_FLOATS);
            const float* b = a + SLICE_FLOATS;
            const u32 k0 = team * (SLICE / SPLIT);
#pragma unroll 2
            for (u32 k = k0; k < k0 + SLICE / SPLIT; k += 4) {
                float from_a[4][EDGE], from_b[4][EDGE];
                read_four<SIZE, EDGE, SLICE, INNER_A>(a, down, k, from_a);
                read_four<SIZE, EDGE, SLICE, INNER_B>(b, across, k, from_b);
#pragma unroll
                for (int n = 0; n < 4; n++)
#pragma unroll
                    for (int i = 0; i < EDGE; i++)
#pragma unroll
                        for (int j = 0; j < EDGE; j++) sums[i][j] += from_a[n][i] * from_b[n][j];
            }
        }
        // The teams' sums, added in their order, and then to what was there.
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EDGE; i++)
#pragma unroll
            for (int j = 0; j < EDGE; j++) {
                const u32 row = INNER_A ? down + i * ACROSS : down * EDGE + i;
                const u32 column = INNER_B ? across + j * ACROSS : across * EDGE + j;
                of_teams[(team * SIZE + row) * APART + column] = sums[i][j];
            }
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < OUTS; i++) {
            const u32 place = threadIdx.x + i * THREADS;
            if (place < SIZE * SIZE) {
                const float* from = of_teams + place / SIZE * APART + place % SIZE;
                float sum = 0.0f;
#pragma unroll
                for (u32 other = 0; other < SPLIT; other++) sum += from[other * SIZE * APART];
                sum += more[i];
                if (flags & PRODUCT_RELU) sum = relu(sum);
                old[i] += sum;
            }
        }
    }
    wait_for_stage<0>();
#pragma unroll
    for (u32 i = 0; i < OUTS; i++) {
        const u32 place = threadIdx.x + i * THREADS;
        const u32 row = row0 + place / SIZE, column = column0 + place % SIZE;
        if (place < SIZE * SIZE && row < rows && column < columns) {
            out[(u64)row * op.s[22] + column] = passes[i] <= 0.0f ? 0.0f : old[i];
        }
    }
    __syncthreads();
}

// Layers read both operands by rows, gradients of inputs the second by columns, and gradients of
// weights both.
template <int SIZE, int EDGE, int SLICE>
static __device__ __forceinline__ void product(const Op& op, u32 tile, float* shared) {
    if (op.s[2] != 1) {
        product_tile<SIZE, EDGE, SLICE, false, false>(op, tile, shared);
    } else if (op.s[3] != 1) {
        product_tile<SIZE, EDGE, SLICE, true, false>(op, tile, shared);
    } else {
        product_tile<SIZE, EDGE, SLICE, true, true>(op, tile, shared);
    }
}

static __device__ __noinline__ void product_small(const Op& op, u32 tile, float* shared) {
    product<16, 2, 128>(op, tile, shared);
}

static __device__ __noinline__ void product_medium(const Op& op, u32 tile, float* shared) {
    product<32, 4, 64>(op, tile, shared);
}

static __device__ __noinline__ void product_large(const Op& op, u32 tile, float* shared) {
    product<64, 4, 32>(op, tile, shared);
}
