// Operators that move values, compute with each, or make one number of all.

enum { FUNCTION_COPY, FUNCTION_RELU, FUNCTION_SIGMOID, FUNCTION_TANH };
enum { PAIR_ADD, PAIR_SUBTRACT, PAIR_MULTIPLY, PAIR_MAX };
enum { LOSS_BINARY, LOSS_SQUARED };

// Bit by bit.  p: from, to;  s: count
template <int N>
static __device__ __forceinline__ void copy_of(const Op& op, u32 tile) {
    each_pack<N>(op, tile, op.s[0], [&](u32 i) { store(floats(op, 1) + i, load<N>(floats(op, 0) + i)); });
}

static __device__ __noinline__ void copy(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(copy_of, op.s[0])
}

// p: to;  s: count, value
template <int N>
static __device__ __forceinline__ void fill_of(const Op& op, u32 tile) {
    each_pack<N>(op, tile, op.s[0], [&](u32 i) { store(floats(op, 0) + i, filled<N>(real(op, 1))); });
}

static __device__ __noinline__ void fill(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(fill_of, op.s[0])
}

// to (+)= factor * function(from).  p: from, to;  s: count, function, factor, add
template <int N>
static __device__ __forceinline__ void unary_of(const Op& op, u32 tile) {
    const float factor = real(op, 2);
    const u32 function = op.s[1];
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        float* to = floats(op, 1) + i;
        const Pack<N> old = old_of<N>(to, op.s[3]);
        Pack<N> x = load<N>(floats(op, 0) + i);
        if (function) {
#pragma unroll
            for (int k = 0; k < N; k++) {
                const float y = x.v[k];
                x.v[k] = function == FUNCTION_RELU ? relu(y) : function == FUNCTION_SIGMOID ? sigmoid(y) : tanhf(y);
            }
        }
#pragma unroll
        for (int k = 0; k < N; k++) x.v[k] *= factor;
        store(to, plus(old, x));
    });
}

static __device__ __noinline__ void unary(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(unary_of, op.s[0])
}

// By the result y.  p: y, dy, dx;  s: count, function, add
template <int N>
static __device__ __forceinline__ void unary_gradient_of(const Op& op, u32 tile) {
    const u32 function = op.s[1];
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        float* dx = floats(op, 2) + i;
        const Pack<N> old = old_of<N>(dx, op.s[2]), y = load<N>(floats(op, 0) + i);
        Pack<N> d = load<N>(floats(op, 1) + i);
#pragma unroll
        for (int k = 0; k < N; k++) {
            const float slope = function == FUNCTION_SIGMOID ? y.v[k] * (1.0f - y.v[k])
                                : function == FUNCTION_TANH  ? 1.0f - y.v[k] * y.v[k]
                                                             : 1.0f;
            d.v[k] = function == FUNCTION_RELU && y.v[k] <= 0.0f ? 0.0f : d.v[k] * slope;
        }
        store(dx, plus(old, d));
    });
}

static __device__ __noinline__ void unary_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(unary_gradient_of, op.s[0])
}

// p: a, b, out;  s: count, function
template <int N>
static __device__ __forceinline__ void binary_of(const Op& op, u32 tile) {
    const u32 function = op.s[1];
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        const Pack<N> b = load<N>(floats(op, 1) + i);
        Pack<N> a = load<N>(floats(op, 0) + i);
#pragma unroll
        for (int k = 0; k < N; k++) {
            a.v[k] = function == PAIR_SUBTRACT   ? a.v[k] - b.v[k]
                     : function == PAIR_MULTIPLY ? a.v[k] * b.v[k]
                     : function == PAIR_MAX      ? fmaxf(a.v[k], b.v[k])
                                                 : a.v[k] + b.v[k];
        }
        store(floats(op, 2) + i, a);
    });
}

static __device__ __noinline__ void binary(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(binary_of, op.s[0])
}

// p: a, b, dy, dx;  s: count, function, of a, add
template <int N>
static __device__ __forceinline__ void binary_gradient_of(const Op& op, u32 tile) {
    const u32 function = op.s[1];
    const bool of_a = op.s[2];
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        float* dx = floats(op, 3) + i;
        const Pack<N> old = old_of<N>(dx, op.s[3]);
        const Pack<N> a = load<N>(floats(op, 0) + i), b = load<N>(floats(op, 1) + i);
        Pack<N> d = load<N>(floats(op, 2) + i);
#pragma unroll
        for (int k = 0; k < N; k++) {
            d.v[k] *= function == PAIR_SUBTRACT   ? (of_a ? 1.0f : -1.0f)
                      : function == PAIR_MULTIPLY ? (of_a ? b.v[k] : a.v[k])
                      : function == PAIR_MAX      ? (of_a == (a.v[k] >= b.v[k]) ? 1.0f : 0.0f)
                                                  : 1.0f;
        }
        store(dx, plus(old, d));
    });
}

static __device__ __noinline__ void binary_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(binary_gradient_of, op.s[0])
}

// out (+)= a * (factor, or 1 + scale[0]) + b.  p: scale, a, b, out;  s: count, factor, add
template <int N>
static __device__ __forceinline__ void scaled_sum_of(const Op& op, u32 tile) {
    const float factor = floats(op, 0) ? 1.0f + floats(op, 0)[0] : real(op, 1);
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        float* to = floats(op, 3) + i;
        const Pack<N> old = old_of<N>(to, op.s[2]);
        const Pack<N> b = floats(op, 2) ? load<N>(floats(op, 2) + i) : filled<N>(0.0f);
        Pack<N> a = load<N>(floats(op, 1) + i);
#pragma unroll
        for (int k = 0; k < N; k++) a.v[k] = factor * a.v[k] + b.v[k];
        store(to, plus(old, a));
    });
}

static __device__ __noinline__ void scaled_sum(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(scaled_sum_of, op.s[0])
}

// out[r, c] (+)= the sum over starts of x[r, start + c].
//   p: x, out;  s: rows, width, stride of x, start, second start or NONE, stride of out, add
template <int N>
static __device__ __forceinline__ void move_of(const Op& op, u32 tile) {
    const u32 width = op.s[1];
    each_pack<N>(op, tile, op.s[0] * width, [&](u32 i) {
        const u32 r = divided(op, i), c = i - r * width;
        const float* x = floats(op, 0) + (u64)r * op.s[2] + c;
        float* to = floats(op, 1) + (u64)r * op.s[5] + c;
        const Pack<N> old = old_of<N>(to, op.s[6]);
        Pack<N> value = load<N>(x + op.s[3]);
        if (op.s[4] != NONE) {
            const Pack<N> second = load<N>(x + op.s[4]);
#pragma unroll
            for (int k = 0; k < N; k++) value.v[k] += second.v[k];
        }
        store(to, plus(old, value));
    });
}

static __device__ __noinline__ void move(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const u32 second = op.s[4] == NONE ? 0 : op.s[4];
    const u64 all = op.s[1] | op.s[2] | op.s[3] | second | op.s[5] | op.p[0] / 4 | op.p[1] / 4;
    BY_FOURS(move_of, all)
}

// p: from, to;  s: rows, columns
static __device__ __noinline__ void transpose(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const u32 rows = op.s[0], columns = op.s[1];
    each_pack<1>(op, tile, rows * columns, [&](u32 i) {
        // The divisor is that of the result: its columns are the rows.
        const u32 r = divided(op, i);
        floats(op, 1)[i] = floats(op, 0)[(i - r * rows) * columns + r];
    });
}

// p: x, indices, out;  s: rows, columns
template <int N>
static __device__ __forceinline__ void gather_rows_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 r = divided(op, i);
        store(floats(op, 2) + i, load<N>(floats(op, 0) + numbers(op, 1)[r] * columns + i - r * columns));
    });
}

static __device__ __noinline__ void gather_rows(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(gather_rows_of, op.s[1])
}

// to[target] += the sum of rows of x that belong to it, or of -weight * dy[0] that a loss has picked
// by. Targets come once each, with the first of their rows in `places`.
//   p: x, targets, firsts, places, to, weights, dy;  s: targets, columns
template <int N>
static __device__ __forceinline__ void scatter_rows_of(const Op& op, u32 tile) {
    const u32 *firsts = numbers(op, 2), *places = numbers(op, 3), columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 t = divided(op, i), c = i - t * columns;
        float* to = floats(op, 4) + numbers(op, 1)[t] * columns + c;
        const Pack<N> old = load<N>(to);
        const Pack<N> sum = sum_over<N, ENTRIES>(
            firsts[t], firsts[t + 1], [&](u32 k) { return places[k]; },
            [&](u32, u32 place) {
                return floats(op, 0) ? load<N>(floats(op, 0) + place * columns + c)
                                     : filled<N>(-floats(op, 5)[place] * floats(op, 6)[0]);
            });
        store(to, plus(old, sum));
    });
}

static __device__ __noinline__ void scatter_rows(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(scatter_rows_of, op.s[1])
}

// One block.  p: a, b, out;  s: count, add
static __device__ __noinline__ void dot(u32 slot, u32, float* scratch) {
    const Op& op = awaited(slot);
    const float *a = floats(op, 0), *b = floats(op, 1);
    const u32 whole = op.s[0] / 4 * 4, AHEAD = 6;
    float* out = floats(op, 2);
    const float old = threadIdx.x == 0 && op.s[1] ? *out : 0.0f;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 first = 4 * threadIdx.x; first < whole; first += 4 * THREADS * AHEAD) {
        Pack<4> x[AHEAD], y[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            const u32 i = first + 4 * THREADS * k;
            x[k] = i < whole ? load<4>(a + i) : filled<4>(0.0f);
            y[k] = i < whole ? load<4>(b + i) : filled<4>(0.0f);
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++)
#pragma unroll
            for (u32 n = 0; n < 4; n++) sum += x[k].v[n] * y[k].v[n];
    }
    const u32 rest = whole + threadIdx.x;
    if (rest < op.s[0]) sum += a[rest] * b[rest];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *out = old + sum;
}

// One block.  p: x, targets, weights, out;  s: count
static __device__ __noinline__ void picked(u32 slot, u32, float* scratch) {
    const Op& op = awaited(slot);
    const float *x = floats(op, 0), *weights = floats(op, 2);
    const u32* targets = numbers(op, 1);
    float sum = 0.0f;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) {
        const u32 target = targets[i];
        sum -= target == NONE ? 0.0f : weights[i] * x[target];
    }
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 3) = sum;
}

// One block.  p: x, targets, weights, out;  s: count, loss
static __device__ __noinline__ void loss(u32 slot, u32, float* scratch) {
    const Op& op = awaited(slot);
    float sum = 0.0f;
#pragma unroll 2
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) {
        const float x = floats(op, 0)[i], target = floats(op, 1)[i];
        const float one = op.s[1] == LOSS_BINARY ? fmaxf(x, 0.0f) - x * target + log1pf(expf(-fabsf(x)))
                                                 : (x - target) * (x - target);
        sum += floats(op, 2)[i] * one;
    }
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 3) = sum;
}

// p: x, targets, weights, dy, dx;  s: count, loss, add
static __device__ __noinline__ void loss_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const float dy = floats(op, 3)[0];
    each_pack<1>(op, tile, op.s[0], [&](u32 i) {
        const float x = floats(op, 0)[i], target = floats(op, 1)[i];
        const float slope = op.s[1] == LOSS_BINARY ? sigmoid(x) - target : 2.0f * (x - target);
        put(floats(op, 4) + i, floats(op, 2)[i] * slope * dy, op.s[2]);
    });
}

// A warp a row.  p: x, norms;  s: rows, columns
static __device__ __noinline__ void row_norms(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const u32 row = tile * WARPS + threadIdx.x / 32, columns = op.s[1];
    if (row >= op.s[0]) return;
    const float* x = floats(op, 0) + row * columns;
    float squares = 0.0f;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32; c < columns; c += 32) squares += x[c] * x[c];
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) floats(op, 1)[row] = sqrtf(squares);
}

// One block.  p: x, out;  s: count
static __device__ __noinline__ void mean(u32 slot, u32, float* scratch) {
    const Op& op = awaited(slot);
    float sum = 0.0f;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) sum += floats(op, 0)[i];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 1) = sum / op.s[0];
}

// p: x, norms, dy, dx;  s: rows, columns, add
template <int N>
static __device__ __forceinline__ void mean_norm_gradient_of(const Op& op, u32 tile) {
    const u32 rows = op.s[0], columns = op.s[1];
    const float share = floats(op, 2)[0] / rows;
    each_pack<N>(op, tile, rows * columns, [&](u32 i) {
        float* dx = floats(op, 3) + i;
        const Pack<N> old = old_of<N>(dx, op.s[2]);
        const float norm = floats(op, 1)[divided(op, i)];
        Pack<N> x = load<N>(floats(op, 0) + i);
#pragma unroll
        for (int k = 0; k < N; k++) x.v[k] = norm > 0.0f ? share * x.v[k] / norm : 0.0f;
        store(dx, plus(old, x));
    });
}

static __device__ __noinline__ void mean_norm_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(mean_norm_gradient_of, op.s[1])
}
