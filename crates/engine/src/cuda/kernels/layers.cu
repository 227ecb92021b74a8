// Layers beside their products: sums over rows, and norms of columns.

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

// 1 / sqrt(x), by one step of Newton's method.
static __device__ __forceinline__ float reciprocal_root(double x) {
    const double guess = rsqrtf((float)x);
    return (float)(guess * (1.5 - 0.5 * x * guess * guess));
}

// Sums are taken in double precision: in a long recurrence batch norm amplifies what they lose. They are
// those of differences to the first row, so that the variance needs no mean that must be there before.
//   p: x, gain, bias, running mean, running variance, out, saved;  s: rows, columns, relu
static __device__ __noinline__ void batch_norm(u32 slot, u32 tile, float* scratch) {
    // Divisions in double precision take long, and here is time.
    const double a_row = 1.0 / described[slot].s[0], unbiased_row = 1.0 / max(described[slot].s[0] - 1, 1u);
    const Op& op = awaited(slot);
    const float* x = floats(op, 0);
    float* out = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    const bool there = c < columns;
    const u32 n_rows = there ? rows : 0;
    float kept[KEPT] = {};
    each_kept(n_rows, columns, c, [&](u32 k, u32 at) { kept[k] = x[at]; });
    // On their way too, before the first sum.
    auto learned = [&](u32 i) { return there ? floats(op, i)[c] : 0.0f; };
    const float gain_of_column = learned(1), bias = learned(2), old_mean = learned(3), old_variance = learned(4);
    const double first = n_rows ? x[c] : 0.0f;
    double sums[2] = {};
    auto add = [&](float value) {
        const double d = value - first;
        sums[0] += d;
        sums[1] += d * d;
    };
    each_kept(n_rows, columns, c, [&](u32 k, u32) { add(kept[k]); });
    each_row(n_rows, columns, c, [&](u32 at, u32) { add(x[at]); }, KEPT);
    sum_columns(sums, scratch);
    if (!there) return;
    const double to_mean = sums[0] * a_row, total = fmax(sums[1] - sums[0] * to_mean, 0.0);
    const float centre = (float)(first + to_mean), reciprocal = reciprocal_root(total * a_row + (double)EPSILON);
    const float gain = gain_of_column * reciprocal;
    auto normed = [&](float value) {
        const float y = gain * (value - centre) + bias;
        return active ? relu(y) : y;
    };
    each_kept(rows, columns, c, [&](u32 k, u32 at) { out[at] = normed(kept[k]); });
    each_row(rows, columns, c, [&](u32 at, u32) { out[at] = normed(x[at]); }, KEPT);
    if (threadIdx.x < COLUMNS) {
        const float unbiased = (float)(total * unbiased_row);
        floats(op, 3)[c] = (1.0f - MOMENTUM) * old_mean + MOMENTUM * centre;
        floats(op, 4)[c] = (1.0f - MOMENTUM) * old_variance + MOMENTUM * unbiased;
        floats(op, 6)[c] = centre;
        floats(op, 6)[columns + c] = reciprocal;
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

// p: x, y, gain, saved, dy, dx, d_gain, d_bias;
// s: rows, columns, relu, add to dx, add to d_gain, add to d_bias
static __device__ __noinline__ void batch_norm_gradient(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    const float *x = floats(op, 0), *y = floats(op, 1), *dy = floats(op, 4);
    float* dx = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2], add = op.s[3];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    const bool there = c < columns;
    const float mean = there ? floats(op, 3)[c] : 0.0f;
    const float reciprocal = there ? floats(op, 3)[columns + c] : 0.0f;
    const u32 n_rows = there ? rows : 0;
    double sums[2] = {};
    auto passed = [&](float d, float result) { return result <= 0.0f ? 0.0f : d; };
    auto load_d = [&](u32 at) { return passed(dy[at], active ? y[at] : 1.0f); };
    auto load_h = [&](u32 at) { return (x[at] - mean) * reciprocal; };
    float d_kept[KEPT] = {}, h_kept[KEPT] = {}, y_kept[KEPT] = {}, old_kept[KEPT] = {};
    each_kept(n_rows, columns, c, [&](u32 k, u32 at) {
        d_kept[k] = dy[at];
        h_kept[k] = x[at];
        y_kept[k] = active ? y[at] : 1.0f;
        old_kept[k] = add ? dx[at] : 0.0f;
    });
    const float gain = there ? floats(op, 2)[c] : 0.0f;
    const float old_gain = there && op.s[4] ? floats(op, 6)[c] : 0.0f;
    const float old_bias = there && op.s[5] ? floats(op, 7)[c] : 0.0f;
    each_kept(n_rows, columns, c, [&](u32 k, u32) {
        d_kept[k] = passed(d_kept[k], y_kept[k]);
        h_kept[k] = (h_kept[k] - mean) * reciprocal;
        sums[0] += d_kept[k];
        sums[1] += d_kept[k] * h_kept[k];
    });
    each_row(n_rows, columns, c, [&](u32 at, u32) {
        const float d = load_d(at);
        sums[0] += d;
        sums[1] += d * load_h(at);
    }, KEPT);
    sum_columns(sums, scratch);
    const float total = (float)sums[0], total_h = (float)sums[1];
    if (!there) return;
    if (threadIdx.x < COLUMNS) {
        floats(op, 6)[c] = old_gain + total_h;
        floats(op, 7)[c] = old_bias + total;
    }
    if (!dx) return;
    const float factor = gain * reciprocal;
    const float mean_d = total / rows, mean_h = total_h / rows;
    auto put_dx = [&](u32 at, float old, float d, float h) {
        dx[at] = old + factor * (d - mean_d - h * mean_h);
    };
    each_kept(rows, columns, c, [&](u32 k, u32 at) { put_dx(at, old_kept[k], d_kept[k], h_kept[k]); });
    each_row(rows, columns, c, [&](u32 at, u32) {
        put_dx(at, add ? dx[at] : 0.0f, load_d(at), load_h(at));
    }, KEPT);
}
