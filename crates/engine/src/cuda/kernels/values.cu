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
    EACH_VALUE(i, op.s[0]) {
        const float x = floats(op, 0)[i];
        float y = x;
        switch (op.s[1]) {
            case FUNCTION_RELU: y = relu(x); break;
            case FUNCTION_SIGMOID: y = sigmoid(x); break;
            case FUNCTION_TANH: y = tanhf(x); break;
        }
        put(floats(op, 1) + i, real(op, 2) * y, op.s[3]);
    }
}

// By the result y.  p: y, dy, dx;  s: count, function, add
static __device__ __noinline__ void unary_gradient(const Op& op, u32 tile, float*) {
    EACH_VALUE(i, op.s[0]) {
        const float y = floats(op, 0)[i], dy = floats(op, 1)[i];
        float dx = dy;
        switch (op.s[1]) {
            case FUNCTION_RELU: dx = y <= 0.0f ? 0.0f : dy; break;
            case FUNCTION_SIGMOID: dx = dy * y * (1.0f - y); break;
            case FUNCTION_TANH: dx = dy * (1.0f - y * y); break;
        }
        put(floats(op, 2) + i, dx, op.s[2]);
    }
}

// p: a, b, out;  s: count, function
static __device__ __noinline__ void binary(const Op& op, u32 tile, float*) {
    EACH_VALUE(i, op.s[0]) {
        const float a = floats(op, 0)[i], b = floats(op, 1)[i];
        float y = a + b;
        switch (op.s[1]) {
            case PAIR_SUBTRACT: y = a - b; break;
            case PAIR_MULTIPLY: y = a * b; break;
            case PAIR_MAX: y = fmaxf(a, b); break;
        }
        floats(op, 2)[i] = y;
    }
}

// p: a, b, dy, dx;  s: count, function, of a, add
static __device__ __noinline__ void binary_gradient(const Op& op, u32 tile, float*) {
    EACH_VALUE(i, op.s[0]) {
        const bool of_a = op.s[2];
        float slope = 1.0f;
        switch (op.s[1]) {
            case PAIR_SUBTRACT: slope = of_a ? 1.0f : -1.0f; break;
            case PAIR_MULTIPLY: slope = floats(op, of_a ? 1 : 0)[i]; break;
            case PAIR_MAX: slope = of_a == (floats(op, 0)[i] >= floats(op, 1)[i]) ? 1.0f : 0.0f; break;
        }
        put(floats(op, 3) + i, slope * floats(op, 2)[i], op.s[3]);
    }
}

// out (+)= a * (factor, or 1 + scale[0]) + b.  p: scale, a, b, out;  s: count, factor, add
static __device__ __noinline__ void scaled_sum(const Op& op, u32 tile, float*) {
    const float factor = floats(op, 0) ? 1.0f + floats(op, 0)[0] : real(op, 1);
    EACH_VALUE(i, op.s[0]) {
        const float y = factor * floats(op, 1)[i];
        put(floats(op, 3) + i, floats(op, 2) ? y + floats(op, 2)[i] : y, op.s[2]);
    }
}

// out[r, to + c] (+)= the sum over starts of x[r, start + c].
//   p: x, out;  s: rows, width, stride of x, start, second start or NONE, stride of out, to, add
static __device__ __noinline__ void move(const Op& op, u32 tile, float*) {
    const u32 width = op.s[1];
    EACH_VALUE(i, (u64)op.s[0] * width) {
        const u64 r = i / width, c = i % width;
        const float* x = floats(op, 0) + r * op.s[2] + c;
        float value = x[op.s[3]];
        if (op.s[4] != NONE) value += x[op.s[4]];
        put(floats(op, 1) + r * op.s[5] + op.s[6] + c, value, op.s[7]);
    }
}

// p: from, to;  s: rows, columns
static __device__ __noinline__ void transpose(const Op& op, u32 tile, float*) {
    const u32 rows = op.s[0], columns = op.s[1];
    EACH_VALUE(i, (u64)rows * columns) {
        floats(op, 1)[i] = floats(op, 0)[(u64)(i % rows) * columns + i / rows];
    }
}

// p: x, indices, out;  s: rows, columns
static __device__ __noinline__ void gather_rows(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, (u64)op.s[0] * columns) {
        floats(op, 2)[i] = floats(op, 0)[(u64)numbers(op, 1)[i / columns] * columns + i % columns];
    }
}

// to[target] += factor * the sum of rows of x that belong to it. Targets come once each, with the
// first of their rows in `places`.
//   p: x, targets, firsts, places, to, weights, dy;  s: targets, columns
static __device__ __noinline__ void scatter_rows(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, (u64)op.s[0] * columns) {
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
#pragma unroll 4
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) sum += floats(op, 0)[i] * floats(op, 1)[i];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) put(floats(op, 2), sum, op.s[1]);
}

// One block.  p: x, targets, weights, out;  s: count
static __device__ __noinline__ void picked(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < op.s[0]; i += THREADS) {
        const u32 target = numbers(op, 1)[i];
        if (target != NONE) sum -= floats(op, 2)[i] * floats(op, 0)[target];
    }
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) *floats(op, 3) = sum;
}

// One block.  p: x, targets, weights, out;  s: count, loss
static __device__ __noinline__ void loss(const Op& op, u32, float* scratch) {
    float sum = 0.0f;
#pragma unroll 4
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
    EACH_VALUE(i, op.s[0]) {
        const float x = floats(op, 0)[i], target = floats(op, 1)[i];
        const float slope = op.s[1] == LOSS_BINARY ? sigmoid(x) - target : 2.0f * (x - target);
        put(floats(op, 4) + i, floats(op, 2)[i] * slope * floats(op, 3)[0], op.s[2]);
    }
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
    EACH_VALUE(i, (u64)rows * columns) {
        const float norm = floats(op, 1)[i / columns];
        const float d = norm > 0.0f ? floats(op, 2)[0] / rows * floats(op, 0)[i] / norm : 0.0f;
        put(floats(op, 3) + i, d, op.s[2]);
    }
}

// The sum of squares of each tile.  p: x, sums;  s: count
static __device__ __noinline__ void squares(const Op& op, u32 tile, float* scratch) {
    float sum = 0.0f;
    EACH_VALUE(i, op.s[0]) {
        const float x = floats(op, 0)[i];
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
    double* sums = (double*)scratch;
    __syncthreads();
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS; i++) sum += sums[i];
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
    EACH_VALUE(i, op.s[0]) {
        const float g = floats(op, 0)[i] * scale;
        const float m = real(op, 2) * floats(op, 2)[i] + real(op, 7) * g;
        const float v = real(op, 3) * floats(op, 3)[i] + real(op, 8) * g * g;
        floats(op, 2)[i] = m;
        floats(op, 3)[i] = v;
        const float value = floats(op, 1)[i] * real(op, 1);
        floats(op, 1)[i] = value - real(op, 4) * m / (sqrtf(v) * real(op, 5) + real(op, 6));
    }
}
