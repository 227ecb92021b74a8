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
//   s[4i ..]          of part i: inner size, distance of a's lines, distance of b's lines, stages
//   s[16] form        which stride of each operand is 1 (FORM_ below)
//   s[20] rows, s[21] columns, s[22] stride of out, s[23] flags, s[24] number of parts,
//   s[25] stride of the addend, s[26] whether four values can be read at a time,
//   s[27] stride of the activated result, s[28] which parts begin sums of their own, added later,
//   s[29 ..] for dividing by the tiles of a row of tiles, s[31] how many those are

enum { PRODUCT_ADD = 1, PRODUCT_RELU = 2 };
enum { FORM_BOTH_INNER, FORM_INNER_OUTER, FORM_BOTH_OUTER };

// Slices of operands that are in shared memory at a time, and the floats of one, at most.
static const int STAGES = 4, SLICE_FLOATS = 1280;

// Four values, or zeros.
static __device__ __forceinline__ void copy_ahead(u32 to, const float* from, bool zeros = false) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(to),
        "l"(from), "r"((u32)zeros));
}

static __device__ __forceinline__ void copy_one_ahead(u32 to, const float* from, bool zero) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(to),
        "l"(from), "r"((u32)zero));
}

static __device__ __forceinline__ void close_stage() { asm volatile("cp.async.commit_group;"); }

template <int AHEAD>
static __device__ __forceinline__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD));
}

// Copies slices of one operand, in the order it has in memory: [SIZE, SLICE] where INNER says that
// inner indices follow each other, else [SLICE, SIZE]; lines are padded by four. What lies beyond
// the inner size is 0; lines beyond the limit repeat others, whose results nobody wants.
template <int SIZE, int SLICE, bool INNER>
struct Slices {
    static const u32 ALONG = INNER ? SLICE : SIZE, ACROSS = INNER ? SIZE : SLICE;
    static_assert(ALONG / 4 * ACROSS == THREADS, "every thread copies four values");
    // Set here, or compilers would keep registers for both from one product to the next.
    const float* from = nullptr;
    int left = 0;  // inner indices, from this thread's on

    __device__ __forceinline__ void begin(const float* operand, u32 apart, u32 at, u32 limit, u32 size) {
        const u32 line = threadIdx.x / (ALONG / 4), first = threadIdx.x % (ALONG / 4) * 4;
        if (INNER) {
            from = operand + ((u64)min(at + line, limit - 1) * apart + first);
            left = size - first;
        } else {
            from = operand + ((u64)line * apart + (at + first < limit ? at + first : 0));
            left = size - line;
        }
    }

    // Where in a slice the thread's values go.
    static __device__ __forceinline__ u32 place() {
        const u32 line = threadIdx.x / (ALONG / 4), first = threadIdx.x % (ALONG / 4) * 4;
        return 4 * (line * (ALONG + 4) + first);
    }

    // One slice. Four values at a time where the host says that operands and sizes allow it.
    __device__ __forceinline__ void copy(u32 to, u32 apart, bool wide, u32 at, u32 limit) {
        if (wide) {
            copy_ahead(to, from, left <= 0);
        } else {
            const u32 first = at + threadIdx.x % (ALONG / 4) * 4;
#pragma unroll 1
            for (int k = 0; k < 4; k++) {
                const bool there = INNER ? k < left : left > 0 && first + k < limit;
                copy_one_ahead(to + 4 * k, there ? from + k : from, !there);
            }
        }
        from += INNER ? SLICE : SLICE * apart;
        left -= SLICE;
    }
};

// A thread's EDGE values of an operand at four inner indices: the rows `at`, `at + SIZE / EDGE`, ...
// where inner indices follow each other, else EDGE rows that do.
template <int SIZE, int EDGE, int SLICE, bool INNER>
static __device__ __forceinline__ void read_four(const float* slice, int at, int k, float (&to)[4][EDGE]) {
    if (INNER) {
#pragma unroll
        for (int i = 0; i < EDGE; i++) {
            const Pack<4> four = load<4>(slice + (at + i * (SIZE / EDGE)) * (SLICE + 4) + k);
#pragma unroll
            for (int n = 0; n < 4; n++) to[n][i] = four.v[n];
        }
    } else {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            const float* from = slice + (k + n) * (SIZE + 4) + at * EDGE;
            if (EDGE == 4) {
                const Pack<4> four = load<4>(from);
#pragma unroll
                for (int i = 0; i < EDGE; i++) to[n][i] = four.v[i % 4];
            } else {
                const float2 two = *(const float2*)from;
                to[n][0] = two.x;
                to[n][1] = two.y;
            }
        }
    }
}

// Where in a tile a thread is, by its number in its team. Those next to each other in either
// direction have numbers that differ in one of the first two bits: half of what they read by
// sixteen bytes then has the same address, which takes less time.
static __device__ __forceinline__ u32 bits_down(u32 n) {
    return (n & 1) | (n >> 1 & 2) | (n >> 3 & 4) | (n >> 4 & 8);
}

static __device__ __forceinline__ u32 bits_across(u32 n) {
    return (n >> 1 & 1) | (n >> 2 & 2) | (n >> 2 & 4) | (n >> 3 & 8);
}

// A tile SIZE x SIZE, of which a thread sums EDGE x EDGE. INNER_A and INNER_B say whether the inner
// stride of an operand is 1.
template <int SIZE, int EDGE, int SLICE, bool INNER_A, bool INNER_B>
static __device__ __forceinline__ void product_tile(const Op& op, u32 tile, float* shared) {
    const u32 ACROSS = SIZE / EDGE, TEAM = ACROSS * ACROSS, SPLIT = THREADS / TEAM;
    const u32 OUTS = (SIZE * SIZE + THREADS - 1) / THREADS;
    // Teams of half a warp, whose sums are added before the others'.
    const u32 PAIRED = TEAM < 32 ? 2 : 1;
    // Rows of sums are so far apart that the threads of a warp write to different banks.
    const u32 APART = SIZE + 8;
    // Read once: between writes to shared memory the compiler would read them again.
    const u32 rows = op.s[20], columns = op.s[21], flags = op.s[23], parts = op.s[24], stride = op.s[22];
    const u32 begins = op.s[28];
    const bool wide = op.s[26];
    float* out = floats(op, 8);
    const float *bias = floats(op, 9), *addend = floats(op, 10), *active = floats(op, 12);
    const u32 row_of_tiles = divided(op, tile);
    const u32 row0 = row_of_tiles * SIZE, column0 = (tile - row_of_tiles * op.s[31]) * SIZE;
    const u32 team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
    const u32 across = bits_across(member), down = bits_down(member);

    Slices<SIZE, SLICE, INNER_A> from_a;
    Slices<SIZE, SLICE, INNER_B> from_b;
    const u32 place = (u32)__cvta_generic_to_shared(shared);
    u32 next = 0, left = 0, part = 0;
    auto next_part = [&]() {
        from_a.begin(floats(op, 2 * part), op.s[4 * part + 1], row0, rows, op.s[4 * part]);
        from_b.begin(floats(op, 2 * part + 1), op.s[4 * part + 2], column0, columns, op.s[4 * part]);
        left = op.s[4 * part + 3];
        part++;
    };
    auto load_next = [&]() {
        if (left == 0 && part < parts) next_part();
        if (left) {
            const u32 to = place + next * (8 * SLICE_FLOATS);
            const u32* strides = op.s + 4 * part - 3;
            from_a.copy(to + from_a.place(), strides[0], wide, row0, rows);
            from_b.copy(to + 4 * SLICE_FLOATS + from_b.place(), strides[1], wide, column0, columns);
            left--;
            next = (next + 1) % STAGES;
        }
        close_stage();
    };

    // Where in the tile a thread's sums are.
    auto summed_row = [&](u32 i) { return INNER_A ? down + i * ACROSS : down * EDGE + i; };
    auto summed_column = [&](u32 j) { return INNER_B ? across + j * ACROSS : across * EDGE + j; };
    // A thread's results: rows and columns of the i-th, and what else goes into it. Those it sums
    // itself, if there is one team, or else others, so that rows are written at once.
    auto row_of = [&](u32 i) {
        return row0 + (SPLIT > 1 ? (threadIdx.x + i * THREADS) / SIZE : summed_row(i / EDGE));
    };
    auto column_of = [&](u32 i) {
        return column0 + (SPLIT > 1 ? (threadIdx.x + i * THREADS) % SIZE : summed_column(i % EDGE));
    };
    auto wanted = [&](u32 i) {
        return threadIdx.x + i * THREADS < SIZE * SIZE && row_of(i) < rows && column_of(i) < columns;
    };
    auto load_bias = [&](u32 i) { return bias && wanted(i) ? bias[column_of(i)] : 0.0f; };
    auto load_addend_row = [&](u32 i) {
        return addend && numbers(op, 11) && wanted(i) ? numbers(op, 11)[row_of(i)] : row_of(i);
    };
    auto load_addend = [&](u32 i, u32 row) {
        return addend && wanted(i) ? addend[(u64)row * op.s[25] + column_of(i)] : 0.0f;
    };
    auto load_old = [&](u32 i) {
        return flags & PRODUCT_ADD && wanted(i) ? out[(u64)row_of(i) * stride + column_of(i)] : 0.0f;
    };
    auto load_passes = [&](u32 i) {
        return active && wanted(i) ? active[(u64)row_of(i) * op.s[27] + column_of(i)] : 1.0f;
    };
    // All that is on its way while products are summed, if there are registers for it.
    const bool EARLY = OUTS <= 2;
    u32 addend_rows[OUTS];
    float more[OUTS] = {}, addends[OUTS] = {}, old[OUTS] = {}, passes[OUTS] = {};

    next_part();
    wait_for_inputs();
#pragma unroll
    for (u32 i = 0; EARLY && i < OUTS; i++) addend_rows[i] = load_addend_row(i);
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++) load_next();
#pragma unroll
    for (u32 i = 0; EARLY && i < OUTS; i++) {
        more[i] = load_bias(i);
        addends[i] = load_addend(i, addend_rows[i]);
        old[i] = load_old(i);
        passes[i] = load_passes(i);
    }

    float* of_teams = shared + STAGES * 2 * SLICE_FLOATS;
    u32 stage = 0, now = 0;
    for (bool last = false; !last;) {
        // The parts whose products are summed together.
        float sums[EDGE][EDGE] = {};
        const u32 first = now;
        u32 stages = 0;
        do {
            stages += op.s[4 * now + 3];
            now++;
        } while (now < parts && !(begins >> now & 1));
        last = now >= parts;
#pragma unroll 1
        for (; stages; stages--) {
            wait_for_stage<STAGES - 2>();
            __syncthreads();
            load_next();
            const float* a = shared + stage * (2 * SLICE_FLOATS);
            const float* b = a + SLICE_FLOATS;
            stage = (stage + 1) % STAGES;
            // Teams take turns, so that short sums are shared out and their parts short too.
#pragma unroll(EDGE == 4 ? 1 : 2)
            for (u32 k = 4 * team; k < SLICE; k += 4 * SPLIT) {
                float of_a[4][EDGE], of_b[4][EDGE];
                read_four<SIZE, EDGE, SLICE, INNER_A>(a, down, k, of_a);
                read_four<SIZE, EDGE, SLICE, INNER_B>(b, across, k, of_b);
#pragma unroll
                for (int n = 0; n < 4; n++)
#pragma unroll
                    for (int i = 0; i < EDGE; i++)
#pragma unroll
                        for (int j = 0; j < EDGE; j++) sums[i][j] += of_a[n][i] * of_b[n][j];
            }
        }
#pragma unroll
        for (u32 i = 0; !EARLY && i < OUTS; i++) {
            more[i] = load_bias(i) + load_addend(i, load_addend_row(i));
            if (first == 0) old[i] = load_old(i);
        }
        // The teams' sums, added in their order and rounded once, and then to what was there.
        if (SPLIT > 1) __syncthreads();
#pragma unroll
        for (int i = 0; SPLIT > 1 && i < EDGE / PAIRED; i++)
#pragma unroll
            for (int j = 0; j < EDGE; j++) {
                float sum = sums[i][j];
                u32 row = i;
                if (PAIRED > 1) {
                    // Each of the two teams of a warp takes half of the rows of both.
                    const bool second = threadIdx.x & TEAM;
                    const float lower = sums[i][j], upper = sums[i + EDGE / 2][j];
                    sum = second ? upper : lower;
                    sum += __shfl_xor_sync(0xffffffffu, second ? lower : upper, TEAM);
                    row = second ? i + EDGE / 2 : i;
                }
                of_teams[(team / PAIRED * SIZE + summed_row(row)) * APART + summed_column(j)] = sum;
            }
        if (SPLIT > 1) __syncthreads();
#pragma unroll
        for (u32 i = 0; i < OUTS; i++) {
            const u32 at = threadIdx.x + i * THREADS;
            if (at < SIZE * SIZE) {
                const float* from = of_teams + at / SIZE * APART + at % SIZE;
                // Not before: adding them would wait for them.
                asm volatile("" : "+f"(more[i]), "+f"(addends[i]));
                double all = EARLY ? more[i] + addends[i] : more[i];
#pragma unroll
                for (u32 other = 0; other < SPLIT / PAIRED; other++) {
                    all += SPLIT > 1 ? from[other * SIZE * APART] : sums[i / EDGE % EDGE][i % EDGE];
                }
                float sum = (float)all;
                if (flags & PRODUCT_RELU) sum = relu(sum);
                old[i] += sum;
            }
        }
    }
    wait_for_stage<0>();
#pragma unroll
    for (u32 i = 0; i < OUTS; i++) {
        if (!wanted(i)) continue;
        const float passed = EARLY ? passes[i] : load_passes(i);
        out[(u64)row_of(i) * stride + column_of(i)] = passed <= 0.0f ? 0.0f : old[i];
    }
}

// Layers read both operands by rows, gradients of inputs the second by columns, and gradients of
// weights both.
template <int SIZE, int EDGE, int SLICE>
static __device__ __forceinline__ void product(const Op& op, u32 tile, float* shared) {
    switch (op.s[16]) {
        case FORM_BOTH_INNER: product_tile<SIZE, EDGE, SLICE, true, true>(op, tile, shared); break;
        case FORM_INNER_OUTER: product_tile<SIZE, EDGE, SLICE, true, false>(op, tile, shared); break;
        case FORM_BOTH_OUTER: product_tile<SIZE, EDGE, SLICE, false, false>(op, tile, shared); break;
    }
}

static __device__ __noinline__ void product_deep(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    product<16, 4, 64>(op, tile, shared);
}

static __device__ __noinline__ void product_small(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    product<16, 2, 64>(op, tile, shared);
}

static __device__ __noinline__ void product_medium(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    product<32, 4, 32>(op, tile, shared);
}

static __device__ __noinline__ void product_large(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    product<64, 4, 16>(op, tile, shared);
}
