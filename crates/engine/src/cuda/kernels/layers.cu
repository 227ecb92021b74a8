// Layers beside their products: norms, the gates of a recurrent unit, sums over rows.

static const float EPSILON = 1e-5f;
static const float MOMENTUM = 0.1f;

// out [columns] (+)= sum over rows of x [rows, stride] * factor[row].
//   p: x, factors, out;  s: rows, columns, stride, add
static __device__ __noinline__ void column_sums(const Op& op, u32 tile, float* scratch) {
    const float *x = floats(op, 0), *factors = floats(op, 1);
    const u32 rows = op.s[0], columns = op.s[1], stride = op.s[2];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float sum = 0.0f;
    if (c < columns) {
        each_row(rows, stride, c, [&](u64 at, u32 r) { sum += factors ? factors[r] * x[at] : x[at]; });
    }
    sum = column_sum(sum, scratch);
    if (c < columns && threadIdx.x < COLUMNS) put(floats(op, 2) + c, sum, op.s[3]);
}

// A warp a row.  p: x, gain, bias, out, saved;  s: rows, columns
static __device__ __noinline__ void layer_norm(const Op& op, u32 tile, float*) {
    const u32 rows = op.s[0], columns = op.s[1], lane = threadIdx.x % 32;
    const u32 row = tile * WARPS + threadIdx.x / 32;
    if (row >= rows) return;
    const float *x = floats(op, 0) + (u64)row * columns, *gain = floats(op, 1), *bias = floats(op, 2);
    float* out = floats(op, 3) + (u64)row * columns;
    float sum = 0.0f;
    for (u32 c = lane; c < columns; c += 32) sum += x[c];
    const float mean = warp_sum(sum) / columns;
    float squares = 0.0f;
    for (u32 c = lane; c < columns; c += 32) squares += (x[c] - mean) * (x[c] - mean);
    const float reciprocal = 1.0f / sqrtf(warp_sum(squares) / columns + EPSILON);
    for (u32 c = lane; c < columns; c += 32) out[c] = gain[c] * (x[c] - mean) * reciprocal + bias[c];
    if (lane == 0) {
        floats(op, 4)[2 * row] = mean;
        floats(op, 4)[2 * row + 1] = reciprocal;
    }
}

// Where the activated result of the layer before is not positive, dx gets 0.
//   p: x, gain, saved, dy, dx, [12] activated;  s: rows, columns, add
static __device__ __noinline__ void layer_norm_input(const Op& op, u32 tile, float*) {
    const u32 rows = op.s[0], columns = op.s[1], lane = threadIdx.x % 32;
    const u32 row = tile * WARPS + threadIdx.x / 32;
    if (row >= rows) return;
    const float *x = floats(op, 0) + (u64)row * columns, *gain = floats(op, 1);
    const float* dy = floats(op, 3) + (u64)row * columns;
    float* dx = floats(op, 4) + (u64)row * columns;
    const float* active = floats(op, 12) ? floats(op, 12) + (u64)row * columns : 0;
    const float mean = floats(op, 2)[2 * row], reciprocal = floats(op, 2)[2 * row + 1];
    float sum = 0.0f, sum_h = 0.0f;
    for (u32 c = lane; c < columns; c += 32) {
        const float g = gain[c] * dy[c];
        sum += g;
        sum_h += g * (x[c] - mean) * reciprocal;
    }
    sum = warp_sum(sum) / columns;
    sum_h = warp_sum(sum_h) / columns;
    for (u32 c = lane; c < columns; c += 32) {
        const float h = (x[c] - mean) * reciprocal;
        const float d = reciprocal * (gain[c] * dy[c] - sum - h * sum_h) + (op.s[2] ? dx[c] : 0.0f);
        dx[c] = active && active[c] <= 0.0f ? 0.0f : d;
    }
}

// p: x, saved, dy, d_gain, d_bias;  s: rows, columns, add to gain, add to bias
static __device__ __noinline__ void layer_norm_learned(const Op& op, u32 tile, float* scratch) {
    const float *x = floats(op, 0), *saved = floats(op, 1), *dy = floats(op, 2);
    const u32 rows = op.s[0], columns = op.s[1];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float gain = 0.0f, bias = 0.0f;
    if (c < columns) {
        each_row(rows, columns, c, [&](u64 at, u32 r) {
            gain += dy[at] * (x[at] - saved[2 * r]) * saved[2 * r + 1];
            bias += dy[at];
        });
    }
    gain = column_sum(gain, scratch);
    bias = column_sum(bias, scratch);
    if (c < columns && threadIdx.x < COLUMNS) {
        put(floats(op, 3) + c, gain, op.s[2]);
        put(floats(op, 4) + c, bias, op.s[3]);
    }
}

// Sums are taken in double precision: in a long recurrence batch norm amplifies what they lose.
//   p: x, gain, bias, running mean, running variance, out, saved;  s: rows, columns, relu
static __device__ __noinline__ void batch_norm(const Op& op, u32 tile, float* scratch) {
    const float* x = floats(op, 0);
    float* out = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    const bool there = c < columns;
    double sum = 0.0, squares = 0.0;
    if (there) each_row(rows, columns, c, [&](u64 at, u32) { sum += x[at]; });
    const float mean = (float)(column_sum(sum, scratch) / rows);
    if (there) {
        each_row(rows, columns, c, [&](u64 at, u32) {
            const float d = x[at] - mean;
            squares += d * d;
        });
    }
    const float total = (float)column_sum(squares, scratch);
    if (!there) return;
    const float reciprocal = 1.0f / sqrtf(total / rows + EPSILON);
    const float gain = floats(op, 1)[c] * reciprocal, bias = floats(op, 2)[c];
    each_row(rows, columns, c, [&](u64 at, u32) {
        const float y = gain * (x[at] - mean) + bias;
        out[at] = active ? relu(y) : y;
    });
    if (threadIdx.x < COLUMNS) {
        float *running_mean = floats(op, 3) + c, *running_variance = floats(op, 4) + c;
        const float unbiased = total / max(rows - 1, 1u);
        *running_mean = (1.0f - MOMENTUM) * *running_mean + MOMENTUM * mean;
        *running_variance = (1.0f - MOMENTUM) * *running_variance + MOMENTUM * unbiased;
        floats(op, 6)[c] = mean;
        floats(op, 6)[columns + c] = reciprocal;
    }
}

// p: x, gain, bias, running mean, running variance, out;  s: rows, columns, relu
static __device__ __noinline__ void batch_norm_running(const Op& op, u32 tile, float*) {
    const float *x = floats(op, 0), *gain = floats(op, 1), *bias = floats(op, 2);
    const float *mean = floats(op, 3), *variance = floats(op, 4);
    const u32 columns = op.s[1], active = op.s[2];
    put_values<4>(op, tile, op.s[0] * columns, floats(op, 5), false, [&](u32 i) {
        const u32 c = i % columns;
        const float y = gain[c] * ((x[i] - mean[c]) / sqrtf(variance[c] + EPSILON)) + bias[c];
        return active ? relu(y) : y;
    });
}

// p: x, y, gain, saved, dy, dx, d_gain, d_bias;
// s: rows, columns, relu, add to dx, add to d_gain, add to d_bias
static __device__ __noinline__ void batch_norm_gradient(const Op& op, u32 tile, float* scratch) {
    const float *x = floats(op, 0), *y = floats(op, 1), *dy = floats(op, 4);
    float* dx = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2], add = op.s[3];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    const bool there = c < columns;
    const float mean = there ? floats(op, 3)[c] : 0.0f;
    const float reciprocal = there ? floats(op, 3)[columns + c] : 0.0f;
    double sum = 0.0, sum_h = 0.0;
    if (there) {
        each_row(rows, columns, c, [&](u64 at, u32) {
            const float d = dy[at], result = active ? y[at] : 1.0f, h = (x[at] - mean) * reciprocal;
            if (!(result <= 0.0f)) {
                sum += d;
                sum_h += d * h;
            }
        });
    }
    const float total = (float)column_sum(sum, scratch), total_h = (float)column_sum(sum_h, scratch);
    if (!there) return;
    if (threadIdx.x < COLUMNS) {
        put(floats(op, 6) + c, total_h, op.s[4]);
        put(floats(op, 7) + c, total, op.s[5]);
    }
    if (!dx) return;
    const float factor = floats(op, 2)[c] * reciprocal;
    const float mean_d = total / rows, mean_h = total_h / rows;
    each_row(rows, columns, c, [&](u64 at, u32) {
        const float d = dy[at], result = active ? y[at] : 1.0f, h = (x[at] - mean) * reciprocal;
        const float old = add ? dx[at] : 0.0f;
        dx[at] = old + factor * ((result <= 0.0f ? 0.0f : d) - mean_d - h * mean_h);
    });
}

// A row of `gates` is [reset | update | new | the state's share of new], sums before, values after;
// the state's bias is still to be added to the first two.
//   p: gates, state, out, bias;  s: rows, columns
static __device__ __noinline__ void gru_gates(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u32 c = i % columns;
        float* gates = floats(op, 0) + (u64)(i / columns) * 4 * columns + c;
        const float* bias = floats(op, 3) + c;
        const float r = sigmoid(gates[0] + bias[0]), z = sigmoid(gates[columns] + bias[columns]);
        const float n = tanhf(gates[2 * columns] + r * gates[3 * columns]);
        gates[0] = r;
        gates[columns] = z;
        gates[2 * columns] = n;
        floats(op, 2)[i] = (1.0f - z) * n + z * floats(op, 1)[i];
    }
}

// The gradients of the sums, in the same order.
//   p: gates, state, dy, to, d_state;  s: rows, columns, add to d_state
static __device__ __noinline__ void gru_gates_gradient(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u64 at = (u64)(i / columns) * 4 * columns + i % columns;
        const float* gates = floats(op, 0) + at;
        float* to = floats(op, 3) + at;
        const float r = gates[0], z = gates[columns], n = gates[2 * columns], share = gates[3 * columns];
        const float dy = floats(op, 2)[i];
        const float d_n = dy * (1.0f - z) * (1.0f - n * n);
        to[0] = d_n * share * r * (1.0f - r);
        to[columns] = dy * (floats(op, 1)[i] - n) * z * (1.0f - z);
        to[2 * columns] = d_n;
        to[3 * columns] = d_n * r;
        if (floats(op, 4)) put(floats(op, 4) + i, dy * z, op.s[2]);
    }
}
