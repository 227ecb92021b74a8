// Updates of parameters: the norm of all gradients, and AdamW.

// The sum of squares of each tile, four values a thread.  p: x, sums;  s: count
static __device__ __noinline__ void squares(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    float sum = 0.0f, x[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        const u32 i = (4 * tile + k) * THREADS + threadIdx.x;
        x[k] = i < op.s[0] ? floats(op, 0)[i] : 0.0f;
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++) sum += x[k] * x[k];
    sum = block_sum(sum, scratch);
    if (threadIdx.x == 0) floats(op, 1)[tile] = sum;
}

// [the norm, what gradients are multiplied by: NaN for no update].  One block.
//   p: sums, loss, out;  s: count, clip
static __device__ __noinline__ void clip(u32 slot, u32, float* scratch) {
    const Op& op = awaited(slot);
    const float loss = floats(op, 1)[0];
    double sum = 0.0;
#pragma unroll 4
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
        floats(op, 2)[0] = norm;
        floats(op, 2)[1] = !isfinite(norm) || !isfinite(loss) ? NO_NUMBER : norm > limit ? limit / (norm + 1e-6f) : 1.0f;
    }
    __syncthreads();
}

// A tile has a pack for each thread, and all that it needs is asked for at once.
//   p: gradient, value, first moment, second moment, clipping;
//   s: count, decay, beta 1, beta 2, step size, 1 / sqrt(correction 2), epsilon, 1 - both betas
template <int N>
static __device__ __forceinline__ void adam_of(const Op& op, u32 tile) {
    const float scale = floats(op, 4)[1];
    const float decay = real(op, 1), beta1 = real(op, 2), beta2 = real(op, 3), size = real(op, 4);
    const float correction = real(op, 5), epsilon = real(op, 6), rest1 = real(op, 7), rest2 = real(op, 8);
    each_pack<N>(op, tile, op.s[0], [&](u32 i) {
        const Pack<N> gradient = load<N>(floats(op, 0) + i);
        Pack<N> w = load<N>(floats(op, 1) + i), m = load<N>(floats(op, 2) + i), v = load<N>(floats(op, 3) + i);
        if (isnan(scale)) return;
#pragma unroll
        for (int k = 0; k < N; k++) {
            const float g = gradient.v[k] * scale;
            m.v[k] = beta1 * m.v[k] + rest1 * g;
            v.v[k] = beta2 * v.v[k] + rest2 * g * g;
            w.v[k] = w.v[k] * decay - size * m.v[k] / (sqrtf(v.v[k]) * correction + epsilon);
        }
        store(floats(op, 2) + i, m);
        store(floats(op, 3) + i, v);
        store(floats(op, 1) + i, w);
    });
}

static __device__ __noinline__ void adam(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(adam_of, op.s[0])
}
