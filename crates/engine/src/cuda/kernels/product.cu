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
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
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
    const int ALONG = INNER ? SLICE : SIZE, ACROSS = INNER ? SIZE : SLICE;
#pragma unroll
    for (int i = threadIdx.x; i < ALONG / 4 * ACROSS; i += THREADS) {
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

// Value `i` of the four that a thread has of an operand, at inner index `k` of four.
template <bool INNER>
static __device__ __forceinline__ float of_four(const float4* values, int i, int k) {
    const float4 four = values[INNER ? i : k];
    const int at = INNER ? k : i;
    return at == 0 ? four.x : at == 1 ? four.y : at == 2 ? four.z : four.w;
}

// A tile SIZE x SIZE. INNER_A and INNER_B say whether the inner stride of an operand is 1.
template <int SIZE, int SLICE, bool INNER_A, bool INNER_B>
static __device__ __forceinline__ void product_tile(const Op& op, u32 tile, float* shared) {
    const int ACROSS = SIZE / 4, TEAM = ACROSS * ACROSS, SPLIT = THREADS / TEAM;
    const int OUTS = (SIZE * SIZE + THREADS - 1) / THREADS;
    const u32 rows = op.s[20], columns = op.s[21], parts = op.s[24], flags = op.s[23];
    const u32 tiles_across = (columns + SIZE - 1) / SIZE;
    const u32 row0 = tile / tiles_across * SIZE, column0 = tile % tiles_across * SIZE;
    const int team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
    const int across = member % ACROSS, down = member / ACROSS;

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
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) load();

    // What the results are added to, on its way while products are summed.
    float *out = floats(op, 8), *bias = floats(op, 9), *addend = floats(op, 10), *active = floats(op, 12);
    const u32* addend_rows = numbers(op, 11);
    float more[OUTS], old[OUTS], passes[OUTS];
#pragma unroll
    for (int i = 0; i < OUTS; i++) {
        const int place = threadIdx.x + i * THREADS;
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

    // The teams' sums, added in their order, and then to what was there.
    float sums[4][4] = {};
    float* of_teams = shared + STAGES * 2 * SLICE_FLOATS;
    auto add_up = [&](auto use) {
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int row = INNER_A ? down + i * ACROSS : down * 4 + i;
                const int column = INNER_B ? across + j * ACROSS : across * 4 + j;
                of_teams[team * SIZE * SIZE + row * SIZE + column] = sums[i][j];
                sums[i][j] = 0.0f;
            }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < OUTS; i++) {
            const int place = threadIdx.x + i * THREADS;
            if (place >= SIZE * SIZE) continue;
            float sum = 0.0f;
#pragma unroll
            for (int other = 0; other < SPLIT; other++) sum += of_teams[other * SIZE * SIZE + place];
            use(i, place, sum);
        }
        __syncthreads();
    };

    u32 now = 0, done = 0;
    for (u32 stage = 0; stage < stages; stage++) {
        wait_for_stage<STAGES - 2>();
        __syncthreads();
        load();
        const float* a = shared + stage % STAGES * (2 * SLICE_FLOATS);
        const float* b = a + SLICE_FLOATS;
        const int k0 = team * (SLICE / SPLIT);
#pragma unroll
        for (int k = k0; k < k0 + SLICE / SPLIT; k += 4) {
            float4 from_a[4], from_b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                from_a[i] = *(const float4*)(INNER_A ? a + (down + i * ACROSS) * (SLICE + 4) + k
                                                     : a + (k + i) * (SIZE + 4) + down * 4);
                from_b[i] = *(const float4*)(INNER_B ? b + (across + i * ACROSS) * (SLICE + 4) + k
                                                     : b + (k + i) * (SIZE + 4) + across * 4);
            }
#pragma unroll
            for (int n = 0; n < 4; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        sums[i][j] += of_four<INNER_A>(from_a, i, n) * of_four<INNER_B>(from_b, j, n);
                    }
        }
        done += SLICE;
        if (done >= op.s[5 * now]) {
            now++;
            done = 0;
            if (now < parts && op.s[28] >> now & 1) add_up([&](int i, int, float sum) { old[i] += sum; });
        }
    }
    wait_for_stage<0>();

    add_up([&](int i, int place, float sum) {
        const u32 row = row0 + place / SIZE, column = column0 + place % SIZE;
        if (row >= rows || column >= columns) return;
        sum += more[i];
        if (flags & PRODUCT_RELU) sum = relu(sum);
        sum += old[i];
        out[(u64)row * op.s[22] + column] = passes[i] <= 0.0f ? 0.0f : sum;
    });
}

// Layers read both operands by rows, gradients of inputs the second by columns, and gradients of
// weights both.
template <int SIZE, int SLICE>
static __device__ __forceinline__ void product(const Op& op, u32 tile, float* shared) {
    if (op.s[2] != 1) {
        product_tile<SIZE, SLICE, false, false>(op, tile, shared);
    } else if (op.s[3] != 1) {
        product_tile<SIZE, SLICE, true, false>(op, tile, shared);
    } else {
        product_tile<SIZE, SLICE, true, true>(op, tile, shared);
    }
}

static __device__ __noinline__ void product_small(const Op& op, u32 tile, float* shared) {
    product<16, 128>(op, tile, shared);
}

static __device__ __noinline__ void product_medium(const Op& op, u32 tile, float* shared) {
    product<32, 64>(op, tile, shared);
}

static __device__ __noinline__ void product_large(const Op& op, u32 tile, float* shared) {
    product<64, 32>(op, tile, shared);
}
