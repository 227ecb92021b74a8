// Operators that move values, compute with each, or make one number of all.

enum { FUNCTION_COPY, FUNCTION_RELU, FUNCTION_SIGMOID, FUNCTION_TANH };
enum { PAIR_ADD, PAIR_SUBTRACT, PAIR_MULTIPLY, PAIR_MAX };
enum { LOSS_BINARY, LOSS_SQUARED };

// Bit by bit.  p: from, to;  s: count
static __device__ __noinline__ void copy(const Op& op, u32 tile, float*) {
    EACH_VALUE(i, op.s[0]) numbers(op, 1)[i] = numbers(op, 0)[i];
}

// p: to;  s: count, value
static __device__ __noinline__ void fill(const Op& op, u32 tile, float*) {
    EACH_VALUE(i, op.s[0]) floats(op, 0)[i] = real(op, 1);
}

// to (+)= factor * function(from).  p: from, to;  s: count, function, factor, add
static __device__ __noinline__ void unary(const Op& op, u32 tile, float*) {
    const float *from = floats(op, 0), factor = real(op, 2);
    const u32 function = op.s[1];
    put_values<4>(op, tile, op.s[0], floats(op, 1), op.s[3], [&](u32 i) {
        const float x = from[i];
        const float y = function == FUNCTION_RELU      ? relu(x)
                        : function == FUNCTION_SIGMOID ? sigmoid(x)
                        : function == FUNCTION_TANH    ? tanhf(x)
                                                       : x;
        return factor * y;
    });
}

// By the result y.  p: y, dy, dx;  s: count, function, add
static __device__ __noinline__ void unary_gradient(const Op& op, u32 tile, float*) {
    const float *result = floats(op, 0), *gradient = floats(op, 1);
    const u32 function = op.s[1];
    put_values<4>(op, tile, op.s[0], floats(op, 2), op.s[2], [&](u32 i) {
        const float y = result[i], dy = gradient[i];
        return function == FUNCTION_RELU      ? (y <= 0.0f ? 0.0f : dy)
               : function == FUNCTION_SIGMOID ? dy * y * (1.0f - y)
               : function == FUNCTION_TANH    ? dy * (1.0f - y * y)
                                              : dy;
    });
}

// p: a, b, out;  s: count, function
static __device__ __noinline__ void binary(const Op& op, u32 tile, float*) {
    const float *first = floats(op, 0), *second = floats(op, 1);
    const u32 function = op.s[1];
    put_values<4>(op, tile, op.s[0], floats(op, 2), false, [&](u32 i) {
        const float a = first[i], b = second[i];
        return function == PAIR_SUBTRACT   ? a - b
               : function == PAIR_MULTIPLY ? a * b
               : function == PAIR_MAX      ? fmaxf(a, b)
                                           : a + b;
    });
}

// p: a, b, dy, dx;  s: count, function, of a, add
static __device__ __noinline__ void binary_gradient(const Op& op, u32 tile, float*) {
    const float *first = floats(op, 0), *second = floats(op, 1), *dy = floats(op, 2);
    const u32 function = op.s[1];
    const bool of_a = op.s[2];
    put_values<4>(op, tile, op.s[0], floats(op, 3), op.s[3], [&](u32 i) {
        const float a = first[i], b = second[i];
        const float slope = function == PAIR_SUBTRACT   ? (of_a ? 1.0f : -1.0f)
                            : function == PAIR_MULTIPLY ? (of_a ? b : a)
                            : function == PAIR_MAX      ? (of_a == (a >= b) ? 1.0f : 0.0f)
                                                        : 1.0f;
        return slope * dy[i];
    });
}

// out (+)= a * (factor, or 1 + scale[0]) + b.  p: scale, a, b, out;  s: count, factor, add
static __device__ __noinline__ void scaled_sum(const Op& op, u32 tile, float*) {
    const float factor = floats(op, 0) ? 1.0f + floats(op, 0)[0] : real(op, 1);
    const float *a = floats(op, 1), *b = floats(op, 2);
    put_values<4>(op, tile, op.s[0], floats(op, 3), op.s[2], [&](u32 i) {
        return factor * a[i] + (b ? b[i] : 0.0f);
    });
}

// out[r, to + c] (+)= the sum over starts of x[r, start + c].
//   p: x, out;  s: rows, width, stride of x, start, second start or NONE, stride of out, to, add
static __device__ __noinline__ void move(const Op& op, u32 tile, float*) {
    const u32 width = op.s[1];
    EACH_VALUE(i, op.s[0] * width) {
        const u32 r = i / width, c = i % width;
        const float* x = floats(op, 0) + (u64)r * op.s[2] + c;
        float value = x[op.s[3]];
        if (op.s[4] != NONE) value += x[op.s[4]];
        put(floats(op, 1) + (u64)r * op.s[5] + op.s[6] + c, value, op.s[7]);
    }
}

// p: from, to;  s: rows, columns
static __device__ __noinline__ void transpose(const Op& op, u32 tile, float*) {
    const float* from = floats(op, 0);
    const u32 rows = op.s[0], columns = op.s[1];
    put_values<4>(op, tile, rows * columns, floats(op, 1), false, [&](u32 i) {
        return from[(u64)(i % rows) * columns + i / rows];
    });
}

// p: x, indices, out;  s: rows, columns
static __device__ __noinline__ void gather_rows(const Op& op, u32 tile, float*) {
    const float* x = floats(op, 0);
    const u32 *indices = numbers(op, 1), columns = op.s[1];
    put_values<4>(op, tile, op.s[0] * columns, floats(op, 2), false, [&](u32 i) {
        return x[(u64)indices[i / columns] * columns + i % columns];
    });
}

// to[target] += factor * the sum of rows of x that belong to it. Targets come once each, with the
// first of their rows in `places`.
//   p: x, targets, firsts, places, to, weights, dy;  s: targets, columns
static __device__ __noinline__ void scatter_rows(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u32 t = i / columns, c = i % columns;
        float sum = 0.0f;
        for (u32 k = numbers(op, 2)[t]; k < numbers(op, 2)[t + 1]; k++) {
            const u32 place = numbers(op, 3)[k];
            // Of rows, or of weights that a loss has picked by.
            sum += floats(op, 0) ? floats(op, 0)[(u64)place * columns + c]
                                 : -floats(op, 5)[place] * floats(op, 6)[0];
        }
        floats(op, 4)[(u64)numbers(op, 1)[t] * columns + c] += sum;
    }
}

// One block.  p: a, b, out;  s: count, add
static __device__ __noinline__ void dot(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
    const float4 *a = (const float4*)floats(op, 0), *b = (const float4*)floats(op, 1);
    const u32 fours = op.s[0] / 4;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < fours; i += THREADS) {
        const float4 x = a[i], y = b[i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    const u32 rest = 4 * fours + threadIdx.x;
    if (rest < op.s[0]) sum += floats(op, 0)[rest] * floats(op, 1)[rest];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) put(floats(op, 2), sum, op.s[1]);
}

// One block.  p: x, targets, weights, out;  s: count
static __device__ __noinline__ void picked(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
    const float *x = floats(op, 0), *weights = floats(op, 2);
    const u32* targets = numbers(op, 1);
#pragma unroll 8
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) {
        const u32 target = targets[i];
        sum -= target == NONE ? 0.0f : weights[i] * x[target];
    }
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 3) = sum;
}

// One block.  p: x, targets, weights, out;  s: count, loss
static __device__ __noinline__ void loss(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
#pragma unroll 8
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
static __device__ __noinline__ void loss_gradient(const Op& op, u32 tile, float*) {
    const float *values = floats(op, 0), *targets = floats(op, 1), *weights = floats(op, 2);
    const float dy = floats(op, 3)[0];
    put_values<4>(op, tile, op.s[0], floats(op, 4), op.s[2], [&](u32 i) {
        const float x = values[i], target = targets[i];
        const float slope = op.s[1] == LOSS_BINARY ? sigmoid(x) - target : 2.0f * (x - target);
        return weights[i] * slope * dy;
    });
}

// A warp a row.  p: x, norms;  s: rows, columns
static __device__ __noinline__ void row_norms(const Op& op, u32 tile, float*) {
    const u32 row = tile * WARPS + threadIdx.x / 32, columns = op.s[1];
    if (row >= op.s[0]) return;
    const float* x = floats(op, 0) + (u64)row * columns;
    float squares = 0.0f;
    for (u32 c = threadIdx.x % 32; c < columns; c += 32) squares += x[c] * x[c];
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) floats(op, 1)[row] = sqrtf(squares);
}

// One block.  p: x, out;  s: count
static __device__ __noinline__ void mean(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) sum += floats(op, 0)[i];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 1) = sum / op.s[0];
}

// p: x, norms, dy, dx;  s: rows, columns, add
static __device__ __noinline__ void mean_norm_gradient(const Op& op, u32 tile, float*) {
    const u32 rows = op.s[0], columns = op.s[1];
    const float *x = floats(op, 0), *norms = floats(op, 1), each = floats(op, 2)[0] / rows;
    put_values<4>(op, tile, rows * columns, floats(op, 3), op.s[2], [&](u32 i) {
        const float norm = norms[i / columns], value = x[i];
        return norm > 0.0f ? each * value / norm : 0.0f;
    });
}

// The sum of squares of each tile.  p: x, sums;  s: count
static __device__ __noinline__ void squares(const Op& op, u32 tile, float* scratch) {
    const float* values = floats(op, 0);
    float sum = 0.0f;
#pragma unroll 8
    EACH_VALUE(i, op.s[0]) {
        const float x = values[i];
        sum += x * x;
    }
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) floats(op, 1)[tile] = sum;
}

// [the norm, what gradients are multiplied by: NaN for no update].  One block.
//   p: sums, loss, out;  s: count, clip
static __device__ __noinline__ void clip(const Op& op, u32, float* scratch) {
    double sum = 0.0;
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) sum += floats(op, 0)[i];
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    double* sums = (double*)scratch;
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0;
        for (int i = 0; i < WARPS; i++) sum += sums[i];
        const float norm = (float)sqrt(sum), limit = real(op, 1);
        const bool finite = isfinite(norm) && isfinite(floats(op, 1)[0]);
        floats(op, 2)[0] = norm;
        floats(op, 2)[1] = !finite ? NO_NUMBER : norm > limit ? limit / (norm + 1e-6f) : 1.0f;
    }
    __syncthreads();
}

// p: gradient, value, first moment, second moment, clipping;
// s: count, decay, beta 1, beta 2, step size, 1 / sqrt(correction 2), epsilon, 1 - both betas
static __device__ __noinline__ void adam(const Op& op, u32 tile, float*) {
    const float scale = floats(op, 4)[1];
    if (isnan(scale)) return;
    const float *gradient = floats(op, 0), decay = real(op, 1), beta1 = real(op, 2), beta2 = real(op, 3);
    float *value = floats(op, 1), *first = floats(op, 2), *second = floats(op, 3);
    const float size = real(op, 4), correction = real(op, 5), epsilon = real(op, 6);
    const float rest1 = real(op, 7), rest2 = real(op, 8);
    const u32 count = op.s[0];
    const u64 start = (u64)tile * op.s[31] + threadIdx.x;
    const int EACH = 4;
    float g[EACH], w[EACH], m[EACH], v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u64 i = start + k * THREADS;
        if (i < count) {
            g[k] = gradient[i] * scale;
            w[k] = value[i];
            m[k] = first[i];
            v[k] = second[i];
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u64 i = start + k * THREADS;
        if (i < count) {
            m[k] = beta1 * m[k] + rest1 * g[k];
            v[k] = beta2 * v[k] + rest2 * g[k] * g[k];
            first[i] = m[k];
            second[i] = v[k];
            value[i] = w[k] * decay - size * m[k] / (sqrtf(v[k]) * correction + epsilon);
        }
    }
}
