// Layers beside their products: sums over rows, and norms by what is known.

static const float EPSILON = 1e-5f;
static const float MOMENTUM = 0.1f;

// Column sums of few rows: a tile has so many columns, four a thread.
static const u32 WIDE = 32;

// Adds a thread's share of the rows to its four sums of columns.
static __device__ __forceinline__ void add_rows(const float* x, const float* factors, u32 rows, u32 stride,
                                                Pack<4>& sum) {
    const u32 APART = THREADS / (WIDE / 4), AHEAD = 8;
#pragma unroll 1
    for (u32 first = threadIdx.x / (WIDE / 4); first < rows; first += AHEAD * APART) {
        Pack<4> values[AHEAD];
        float scales[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            const u32 r = first + k * APART;
            values[k] = r < rows ? load<4>(x + r * stride) : filled<4>(0.0f);
            scales[k] = r < rows && factors ? factors[r] : 1.0f;
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++)
#pragma unroll
            for (u32 n = 0; n < 4; n++) sum.v[n] += values[k].v[n] * scales[k];
    }
}

// The sum of a column over all threads, for the first WIDE of them.
static __device__ __forceinline__ float wide_sum(Pack<4>& sum, float* scratch) {
#pragma unroll
    for (u32 n = 0; n < 4; n++) {
#pragma unroll
        for (u32 lanes = WIDE / 4; lanes < 32; lanes *= 2) {
            sum.v[n] += __shfl_xor_sync(0xffffffffu, sum.v[n], lanes);
        }
    }
    if (threadIdx.x % 32 < WIDE / 4) {
        store(scratch + threadIdx.x / 32 * WIDE + threadIdx.x % 32 * 4, sum);
    }
    __syncthreads();
    float all = 0.0f;
    if (threadIdx.x < WIDE) {
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) all += scratch[warp * WIDE + threadIdx.x];
    }
    return all;
}

static __device__ __forceinline__ void few_column_sums(const Op& op, u32 tile, float* scratch) {
    const u32 columns = op.s[1], c = tile * WIDE + threadIdx.x % (WIDE / 4) * 4;
    float* out = floats(op, 2) + tile * WIDE + threadIdx.x;
    const bool own = threadIdx.x < WIDE && tile * WIDE + threadIdx.x < columns;
    const float old = own && op.s[3] ? *out : 0.0f;
    Pack<4> sum = filled<4>(0.0f);
    if (c < columns) add_rows(floats(op, 0) + c, floats(op, 1), op.s[0], op.s[2], sum);
    const float all = wide_sum(sum, scratch);
    if (own) *out = old + all;
}

// out [columns] (+)= sum over rows of x [rows, stride] * factor[row].
//   p: x, factors, out;  s: rows, columns, stride, add, whether rows are few and can be read by fours
static __device__ __noinline__ void column_sums(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    if (op.s[4]) return few_column_sums(op, tile, scratch);
    const float *x = floats(op, 0), *factors = floats(op, 1);
    const u32 columns = op.s[1], c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float sum = 0.0f;
    if (c < columns) {
        each_row(op.s[0], op.s[2], c, [&](u32 at, u32 r) { sum += factors ? factors[r] * x[at] : x[at]; });
    }
    sum = column_sum(sum, scratch);
    if (c < columns && threadIdx.x < COLUMNS) put(floats(op, 2) + c, sum, op.s[3]);
}

// p: x, saved, dy, d_gain, d_bias;  s: rows, columns, add to gain, add to bias
static __device__ __noinline__ void layer_norm_learned(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    const float *x = floats(op, 0), *saved = floats(op, 1), *dy = floats(op, 2);
    const u32 columns = op.s[1], c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float gain = 0.0f, bias = 0.0f;
    if (c < columns) {
        each_row(op.s[0], columns, c, [&](u32 at, u32 r) {
            const float d = dy[at];
            const float2 norm = ((const float2*)saved)[r];
            gain += d * (x[at] - norm.x) * norm.y;
            bias += d;
        });
    }
    float sums[2] = {gain, bias};
    sum_columns(sums, scratch);
    if (c < columns && threadIdx.x < COLUMNS) {
        put(floats(op, 3) + c, sums[0], op.s[2]);
        put(floats(op, 4) + c, sums[1], op.s[3]);
    }
}

// p: x, gain, bias, running mean, running variance, out;  s: rows, columns, relu
template <int N>
static __device__ __forceinline__ void batch_norm_running_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1], active = op.s[2];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 c = i - divided(op, i) * columns;
        const Pack<N> x = load<N>(floats(op, 0) + i), mean = load<N>(floats(op, 3) + c);
        const Pack<N> gain = load<N>(floats(op, 1) + c), bias = load<N>(floats(op, 2) + c);
        const Pack<N> variance = load<N>(floats(op, 4) + c);
        Pack<N> y;
#pragma unroll
        for (int k = 0; k < N; k++) {
            y.v[k] = gain.v[k] * ((x.v[k] - mean.v[k]) / sqrtf(variance.v[k] + EPSILON)) + bias.v[k];
            if (active) y.v[k] = relu(y.v[k]);
        }
        store(floats(op, 5) + i, y);
    });
}

static __device__ __noinline__ void batch_norm_running(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(batch_norm_running_of, op.s[1])
}
