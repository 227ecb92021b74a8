// Products of matrices: out (+)= activation(sum of parts a · b + bias + addend).
//
// Operands have any strides, so one routine serves layers and both of their gradients. A block
// computes a tile of the result. Slices of the operands come through shared memory, a few stages
// ahead; teams of warps share the inner dimension, and their sums are added in order. Small tiles
// keep many blocks busy and have little to do; large ones read less.
//
// Tensor cores multiply. They take the upper 19 bits of a word, 11 of them a number's digits, so every
// number is the sum of two such, x = high + rest, and a product is rest * high + high * rest +
// high * high; what is left out is below a rounding of single precision. Their sums are cut off
// instead of rounded, so those of a team's part of a slice are taken there, and added up outside.
//
//   p[2i], p[2i + 1]  operands of part i, at most four parts
//   p[8] out, p[9] bias, p[10] addend, p[11] the addend's row of each row
//   p[12]             a layer's activated result: where it is not positive, out gets 0
//   s[4i ..]          of part i: inner size, distance of a's lines, distance of b's lines, slices
//   s[16] form        which stride of each operand is 1 (FORM_ below)
//   s[17]             of which parts b is there when a program begins
//   s[20] rows, s[21] columns, s[22] stride of out, s[23] flags, s[24] number of parts,
//   s[25] stride of the addend, s[26] whether four values can be read at a time,
//   s[27] stride of the activated result, s[28] which parts begin sums of their own, added later,
//   s[29 ..] for dividing by the tiles of a row of tiles, s[31] how many those are

enum { PRODUCT_ADD = 1, PRODUCT_RELU = 2 };
enum { FORM_BOTH_INNER, FORM_INNER_OUTER, FORM_BOTH_OUTER };

// Inner indices that are read at a time.
static const int SLICE = 64;
// Shared memory that the host gives a block.
static const u32 SHARED_FLOATS = 24064;

// A number in two parts, of which tensor cores take the first whole and the other without at most its
// last bit.
static __device__ __forceinline__ void in_parts(float x, u32& high, u32& rest) {
    high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    rest = __float_as_uint(x - __uint_as_float(high));
}

// Slices of one operand, in the order it has in memory: [SIZE, LENGTH] where INNER says that inner
// indices follow each other, else [LENGTH, SIZE]. Lines are padded so that the threads of a warp read
// from different banks. What lies beyond the inner size is 0. Lines beyond the limit, whose results nobody
// wants, repeat others, but not all of them one: a last tile with one row took half as long again.
template <int SIZE, bool INNER, int LENGTH = SLICE>
struct Slices {
    static const u32 ALONG = INNER ? LENGTH : SIZE, ACROSS = INNER ? SIZE : LENGTH;
    static const u32 APART = ALONG + (INNER ? 8 : 4), FLOATS = ACROSS * APART;
    static const u32 COPIES = SIZE * LENGTH / 4 / THREADS;
    // Set here, or compilers would keep registers for them from one product to the next.
    const float* from = nullptr;
    u32 offsets[COPIES] = {};
    u32 step = 0;  // from a slice to the next
    int left = 0;  // inner indices

    // Where in a slice a thread's four values of a copy are.
    static __device__ __forceinline__ u32 line(u32 copy) {
        return (threadIdx.x + copy * THREADS) / (ALONG / 4);
    }
    static __device__ __forceinline__ u32 first(u32 copy) {
        return (threadIdx.x + copy * THREADS) % (ALONG / 4) * 4;
    }

    __device__ __forceinline__ void begin(const float* operand, u32 apart, u32 at, u32 limit, u32 size) {
        from = operand;
        step = INNER ? LENGTH : LENGTH * apart;
        left = size;
#pragma unroll
        for (u32 i = 0; i < COPIES; i++) {
            const u32 outer = at + (INNER ? line(i) : first(i));
            const u32 there = outer < limit ? outer : INNER ? line(i) * min(limit, (u32)SIZE) / SIZE : 0;
            offsets[i] = INNER ? there * apart + first(i) : line(i) * apart + there;
        }
    }

    // One slice. Four values at a time where the host says that operands and sizes allow it.
    __device__ __forceinline__ void copy(u32 to, bool wide, u32 at, u32 limit) {
        auto place = [&](u32 i) { return to + 4 * (line(i) * APART + first(i)); };
        auto inner = [&](u32 i) { return (int)(INNER ? first(i) : line(i)); };
        if (wide) {
#pragma unroll
            for (u32 i = 0; i < COPIES; i++) copy_ahead(place(i), from + offsets[i], inner(i) >= left);
        } else {
#pragma unroll
            for (u32 i = 0; i < COPIES; i++) {
#pragma unroll 1
                for (int k = 0; k < 4; k++) {
                    const bool there =
                        INNER ? inner(i) + k < left : inner(i) < left && at + first(i) + k < limit;
                    copy_one_ahead(place(i) + 4 * k, from + (there ? offsets[i] + k : 0), !there);
                }
            }
        }
        from += step;
        left -= LENGTH;
    }
};

// What a thread has of an operand in a slice, for N groups of eight rows (or columns) from `at` on and
// two inner indices from k on, in parts. Rows that follow each other, where inner indices do not.
template <int N, int APART, bool INNER>
static __device__ __forceinline__ void read_pairs(const float* slice, u32 at, u32 k, u32 (&high)[N][2],
                                                  u32 (&rest)[N][2]) {
    const u32 group = threadIdx.x % 32 / 4;
    float pairs[N][2];
    if (INNER) {
#pragma unroll
        for (u32 i = 0; i < N; i++) {
            const float2 two = *(const float2*)(slice + (at + 8 * i + group) * APART + k);
            pairs[i][0] = two.x, pairs[i][1] = two.y;
        }
    } else {
#pragma unroll
        for (u32 n = 0; n < 2; n++) {
            const float* from = slice + (k + n) * APART + at + N * group;
            if (N == 4) {
                const Pack<4> four = load<4>(from);
#pragma unroll
                for (u32 i = 0; i < N; i++) pairs[i][n] = four.v[i];
            } else {
                static_assert(N == 2 || N == 4, "as many as can be read at a time");
                const float2 two = *(const float2*)from;
                pairs[0][n] = two.x, pairs[1][n] = two.y;
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < N; i++)
#pragma unroll
        for (u32 n = 0; n < 2; n++) in_parts(pairs[i][n], high[i][n], rest[i][n]);
}

// sums += a · b for what `read_pairs` has read.
template <int TALL, int BROAD>
static __device__ __forceinline__ void multiply_parts(float (&sums)[TALL][BROAD][4], const u32 (&a_high)[2 * TALL][2],
                                                      const u32 (&a_rest)[2 * TALL][2],
                                                      const u32 (&b_high)[BROAD][2],
                                                      const u32 (&b_rest)[BROAD][2]) {
    auto all = [&](const u32 (&of_a)[2 * TALL][2], const u32 (&of_b)[BROAD][2]) {
#pragma unroll
        for (u32 i = 0; i < TALL; i++)
#pragma unroll
            for (u32 j = 0; j < BROAD; j++) {
                const u32 four[4] = {of_a[2 * i][0], of_a[2 * i + 1][0], of_a[2 * i][1], of_a[2 * i + 1][1]};
                multiply(sums[i][j], four, of_b[j]);
            }
    };
    all(a_rest, b_high);
    all(a_high, b_rest);
    all(a_high, b_high);
}

// A tile ROWS x COLUMNS, by TEAMS of warps that are DOWN x ACROSS. INNER_A and INNER_B say whether the
// inner stride of an operand is 1.
template <int ROWS, int COLUMNS, int TEAMS, int DOWN, int STAGES, bool INNER_A, bool INNER_B>
static __device__ __forceinline__ void product_tile(const Op& op, u32 tile, float* shared) {
    const u32 ACROSS = WARPS / TEAMS / DOWN;
    // Groups of 16 rows and 8 columns of a warp.
    const u32 TALL = ROWS / DOWN / 16, BROAD = COLUMNS / ACROSS / 8;
    using SlicesA = Slices<ROWS, INNER_A>;
    using SlicesB = Slices<COLUMNS, INNER_B>;
    const u32 STAGE = SlicesA::FLOATS + SlicesB::FLOATS;
    // Rows of sums are so far apart that the threads of a warp write to different banks.
    const u32 APART = COLUMNS + 8;
    static_assert(STAGES * STAGE + TEAMS * ROWS * APART <= SHARED_FLOATS, "what the host gives");
    const u32 rows = op.s[20], columns = op.s[21], parts = op.s[24];
    const bool wide = op.s[26];
    const u32 row_of_tiles = divided(op, tile);
    const u32 row0 = row_of_tiles * ROWS, column0 = (tile - row_of_tiles * op.s[31]) * COLUMNS;

    SlicesA from_a;
    SlicesB from_b;
    const u32 place = (u32)__cvta_generic_to_shared(shared);
    u32 next = 0, left = 0, part = 0;
    auto next_part = [&]() {
        from_a.begin(floats(op, 2 * part), op.s[4 * part + 1], row0, rows, op.s[4 * part]);
        from_b.begin(floats(op, 2 * part + 1), op.s[4 * part + 2], column0, columns, op.s[4 * part]);
        left = op.s[4 * part + 3];
        part++;
    };
    auto place_of = [&](u32 stage) { return place + stage * (4 * STAGE); };
    auto load_next = [&](bool has_b = false) {
        if (left == 0 && part < parts) next_part();
        if (left) {
            const u32 to = place_of(next);
            from_a.copy(to, wide, row0, rows);
            if (!has_b) from_b.copy(to + 4 * SlicesA::FLOATS, wide, column0, columns);
            left--;
            next = next + 1 == STAGES ? 0 : next + 1;
        }
        close_stage();
    };

    // A thread's results are packs of values that follow each other, STEP rows apart. What else goes into
    // them is on its way while products are summed.
    const int PACK = ROWS * COLUMNS / THREADS < 4 ? 1 : 4;
    const u32 STEP = THREADS * PACK / COLUMNS, PACKS = ROWS / STEP;
    const u32 own_row = threadIdx.x * PACK / COLUMNS, own_column = threadIdx.x * PACK % COLUMNS;
    const u32 column = column0 + own_column;
    auto row_of = [&](u32 i) { return row0 + own_row + i * STEP; };
    auto wanted = [&](u32 i) { return column < columns && row_of(i) < rows; };

    // The slices of the parts whose products are summed together.
    u32 now = 0, slices = 0;
    auto next_sums = [&]() {
        do {
            slices += op.s[4 * now + 3];
            now++;
        } while (now < parts && !(op.s[28] >> now & 1));
    };

    next_part();
    next_sums();
    // What is there when a program begins, such as a weight, need not wait.
    const u32 ahead = wide && op.s[17] & 1 ? min(left, STAGES - 1u) : 0;
#pragma unroll 1
    for (u32 i = 0; i < ahead; i++) from_b.copy(place_of(i) + 4 * SlicesA::FLOATS, true, column0, columns);
    wait_for_inputs();
    const float *bias = floats(op, 9), *addend = floats(op, 10), *activated = floats(op, 12);
    u32 addend_rows[PACKS];
#pragma unroll
    for (u32 i = 0; i < PACKS; i++) addend_rows[i] = row_of(i);
    if (addend && numbers(op, 11)) {
#pragma unroll
        for (u32 i = 0; i < PACKS; i++)
            if (wanted(i)) addend_rows[i] = numbers(op, 11)[row_of(i)];
    }
    Pack<PACK> own_bias = filled<PACK>(0.0f);
    if (bias && column < columns) own_bias = load<PACK>(bias + column);
#pragma unroll 1
    for (u32 i = 0; i < STAGES - 1; i++) load_next(i < ahead);
    Pack<PACK> more[PACKS], old[PACKS], passes[PACKS];
#pragma unroll
    for (u32 i = 0; i < PACKS; i++) {
        more[i] = filled<PACK>(0.0f);
        old[i] = filled<PACK>(0.0f);
        passes[i] = filled<PACK>(1.0f);
        if (!wanted(i)) continue;
        const u64 row = row_of(i);
        if (addend) more[i] = load<PACK>(addend + (u64)addend_rows[i] * op.s[25] + column);
        if (op.s[23] & PRODUCT_ADD) old[i] = load<PACK>(floats(op, 8) + row * op.s[22] + column);
        if (activated) passes[i] = load<PACK>(activated + row * op.s[27] + column);
    }
    wait_for_stage<STAGES - 2>();
    __syncthreads();
    // What was asked for with the first slices is put together now if it takes many registers; else at the
    // end, because this waits for it.
    const bool EARLY = PACK > 1;
    u32 passed = 0;
    auto may_pass = [&](u32 i, u32 k) { return !(passes[i].v[k] <= 0.0f); };
    if (EARLY) {
#pragma unroll
        for (u32 i = 0; i < PACKS; i++) {
            more[i] = plus(own_bias, more[i]);
#pragma unroll
            for (u32 k = 0; k < PACK; k++) passed |= may_pass(i, k) << (i * PACK + k);
        }
    }

    const u32 warp = threadIdx.x / 32, team = warp / (DOWN * ACROSS);
    const u32 warp_row = warp % (DOWN * ACROSS) / ACROSS * (16 * TALL);
    const u32 warp_column = warp % ACROSS * (8 * BROAD);
    const u32 group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
    float* of_teams = shared + STAGES * STAGE;
    u32 stage = 0;
    for (bool again = false;; again = true) {
        float sums[TALL][BROAD][4] = {};
#pragma unroll 1
        while (slices) {
            const float* a = shared + stage * STAGE;
            const float* b = a + SlicesA::FLOATS;
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            float of_slice[TALL][BROAD][4] = {};
#pragma unroll
            for (u32 step = 0; step < SLICE / 8 / TEAMS; step++) {
                const u32 k = (team * (SLICE / 8 / TEAMS) + step) * 8 + pair;
                u32 a_high[2 * TALL][2], a_rest[2 * TALL][2], b_high[BROAD][2], b_rest[BROAD][2];
                read_pairs<2 * TALL, SlicesA::APART, INNER_A>(a, warp_row, k, a_high, a_rest);
                read_pairs<BROAD, SlicesB::APART, INNER_B>(b, warp_column, k, b_high, b_rest);
                multiply_parts<TALL, BROAD>(of_slice, a_high, a_rest, b_high, b_rest);
            }
            // Copies are asked for while tensor cores multiply.
            load_next();
#pragma unroll
            for (u32 i = 0; i < TALL; i++)
#pragma unroll
                for (u32 j = 0; j < BROAD; j++)
#pragma unroll
                    for (u32 n = 0; n < 4; n++) sums[i][j][n] += of_slice[i][j][n];
            slices--;
            if (slices == 0 && now == parts) break;
            wait_for_stage<STAGES - 2>();
            __syncthreads();
        }
        const u32 flags = op.s[23];
        if (again) __syncthreads();
#pragma unroll
        for (u32 i = 0; i < TALL; i++)
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                const u32 down = INNER_A ? 16 * i + 8 * half + group : 2 * TALL * group + 2 * i + half;
                float* to = of_teams + (team * ROWS + warp_row + down) * APART + warp_column;
                const u32 n = 2 * half;
                if (INNER_B) {
#pragma unroll
                    for (u32 j = 0; j < BROAD; j++) *(float2*)(to + 8 * j + pair) = float2{sums[i][j][n], sums[i][j][n + 1]};
                } else {
                    to += BROAD * pair;
#pragma unroll
                    for (u32 j = 0; j < BROAD; j += 2) {
                        *(float2*)(to + j) = float2{sums[i][j][n], sums[i][j + 1][n]};
                        *(float2*)(to + BROAD + j) = float2{sums[i][j][n + 1], sums[i][j + 1][n + 1]};
                    }
                }
            }
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < PACKS; i++) {
            const float* from = of_teams + (own_row + i * STEP) * APART + own_column;
            // The teams' sums are added in one order.
            Pack<PACK> all[TEAMS];
#pragma unroll
            for (u32 n = 0; n < TEAMS; n++) all[n] = load<PACK>(from + n * ROWS * APART);
#pragma unroll
            for (u32 n = TEAMS / 2; n > 0; n /= 2)
#pragma unroll
                for (u32 m = 0; m < n; m++) all[m] = plus(all[m], all[m + n]);
            if (!EARLY) not_before(more[i].v[0]);
            Pack<PACK> sum = plus(all[0], EARLY ? more[i] : plus(own_bias, more[i]));
            if (flags & PRODUCT_RELU) {
#pragma unroll
                for (u32 k = 0; k < PACK; k++) sum.v[k] = relu(sum.v[k]);
            }
            old[i] = plus(old[i], sum);
        }
        if (now == parts) break;
        next_sums();
    }
    wait_for_stage<0>();
    float* out = floats(op, 8);
    const u32 stride = op.s[22];
#pragma unroll
    for (u32 i = 0; i < PACKS; i++) {
        if (!wanted(i)) continue;
#pragma unroll
        for (u32 k = 0; k < PACK; k++)
            if (!(EARLY ? passed >> (i * PACK + k) & 1 : may_pass(i, k))) old[i].v[k] = 0.0f;
        store(out + (u64)row_of(i) * stride + column, old[i]);
    }
}

// Layers read both operands by rows, gradients of inputs the second by columns, and gradients of
// weights both.
template <int ROWS, int COLUMNS, int TEAMS, int DOWN, int STAGES>
static __device__ __forceinline__ void product(const Op& op, u32 tile, float* shared) {
    switch (op.s[16]) {
        case FORM_BOTH_INNER:
            product_tile<ROWS, COLUMNS, TEAMS, DOWN, STAGES, true, true>(op, tile, shared);
            break;
        case FORM_INNER_OUTER:
            product_tile<ROWS, COLUMNS, TEAMS, DOWN, STAGES, true, false>(op, tile, shared);
            break;
        case FORM_BOTH_OUTER:
            product_tile<ROWS, COLUMNS, TEAMS, DOWN, STAGES, false, false>(op, tile, shared);
            break;
    }
}

// The first two add in the same order. Gradients of weights are never in medium tiles.
static __device__ __noinline__ void product_small(u32 slot, u32 tile, float* shared) {
    product<16, 16, 8, 1, 4>(described[slot], tile, shared);
}

static __device__ __noinline__ void product_medium(u32 slot, u32 tile, float* shared) {
    const Op& op = described[slot];
    if (op.s[16] == FORM_BOTH_INNER) {
        product_tile<32, 32, 8, 1, 3, true, true>(op, tile, shared);
    } else {
        product_tile<32, 32, 8, 1, 3, true, false>(op, tile, shared);
    }
}

static __device__ __noinline__ void product_large(u32 slot, u32 tile, float* shared) {
    product<64, 32, 1, 4, 3>(described[slot], tile, shared);
}
