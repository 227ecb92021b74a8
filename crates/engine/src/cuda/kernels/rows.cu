// Operators on rows: layer norms and the gates of a recurrent unit.
//
// A unit's result is normed, and the gradient of what was normed is that of its gates. Where a warp has
// a whole row of both, a pack each thread, one operator does both (program/joined.rs). Where they are
// launched apart results must be the same, so additions of products are written as what they become.

// What a row is normed by, of the sums over its values and over their squared differences to the mean.
static __device__ __forceinline__ float mean_of(float sum, u32 columns) { return warp_sum(sum) / columns; }
static __device__ __forceinline__ float reciprocal_of(float squares, u32 columns) {
    return 1.0f / sqrtf(warp_sum(squares) / columns + EPSILON);
}

template <int N>
static __device__ __forceinline__ void add_values(const Pack<N>& x, float& sum) {
#pragma unroll
    for (int k = 0; k < N; k++) sum += x.v[k];
}

template <int N>
static __device__ __forceinline__ void add_squares(const Pack<N>& x, float mean, float& squares) {
#pragma unroll
    for (int k = 0; k < N; k++) squares = fmaf(x.v[k] - mean, x.v[k] - mean, squares);
}

template <int N>
static __device__ __forceinline__ Pack<N> normed(Pack<N> x, float mean, float reciprocal, const Pack<N>& gain,
                                                 const Pack<N>& bias) {
#pragma unroll
    for (int k = 0; k < N; k++) x.v[k] = fmaf(gain.v[k] * (x.v[k] - mean), reciprocal, bias.v[k]);
    return x;
}

// A warp a row.  p: x, gain, bias, out, saved;  s: rows, columns
template <int N>
static __device__ __forceinline__ void layer_norm_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1], row = tile * WARPS + threadIdx.x / 32, first = threadIdx.x % 32 * N;
    if (row >= op.s[0]) return;
    const float *x = floats(op, 0) + row * columns, *gain = floats(op, 1), *bias = floats(op, 2);
    float *out = floats(op, 3) + row * columns, *saved = floats(op, 4) + 2 * row;
    float sum = 0.0f, squares = 0.0f;
    // All that most rows need is on its way before the first sum.
    Pack<N> x0 = filled<N>(0.0f), gain0 = x0, bias0 = x0;
    if (first < columns) {
        x0 = load<N>(x + first);
        gain0 = load<N>(gain + first);
        bias0 = load<N>(bias + first);
    }
    auto values = [&](u32 c) { return c == first ? x0 : load<N>(x + c); };
#pragma unroll 1
    for (u32 c = first; c < columns; c += 32 * N) add_values(values(c), sum);
    const float mean = mean_of(sum, columns);
#pragma unroll 1
    for (u32 c = first; c < columns; c += 32 * N) add_squares(values(c), mean, squares);
    const float reciprocal = reciprocal_of(squares, columns);
#pragma unroll 1
    for (u32 c = first; c < columns; c += 32 * N) {
        const Pack<N> g = c == first ? gain0 : load<N>(gain + c), b = c == first ? bias0 : load<N>(bias + c);
        store(out + c, normed(values(c), mean, reciprocal, g, b));
    }
    if (first == 0) {
        saved[0] = mean;
        saved[1] = reciprocal;
    }
}

static __device__ __noinline__ void layer_norm(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(layer_norm_of, op.s[1])
}

// A row of `gates` is [reset | update | new | the state's share of new], sums before, values after;
// the state's bias is still to be added to the first two.
//   p: gates, state, out, bias, and of a norm of the result: gain, bias, out, saved;  s: rows, columns
template <int N>
static __device__ __forceinline__ void gru_gates_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1];
    const float *gain = floats(op, 4), *norm_bias = floats(op, 5);
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 row = divided(op, i), c = i - row * columns;
        float* gates = floats(op, 0) + (u64)(4 * row) * columns + c;
        const float* bias = floats(op, 3) + c;
        Pack<N> r = load<N>(gates), z = load<N>(gates + columns), n = load<N>(gates + 2 * columns);
        const Pack<N> share = load<N>(gates + 3 * columns), state = load<N>(floats(op, 1) + i);
        const Pack<N> r_bias = load<N>(bias), z_bias = load<N>(bias + columns);
        const Pack<N> own_gain = gain ? load<N>(gain + c) : filled<N>(0.0f);
        const Pack<N> own_bias = gain ? load<N>(norm_bias + c) : filled<N>(0.0f);
        Pack<N> out;
#pragma unroll
        for (int k = 0; k < N; k++) {
            r.v[k] = sigmoid(r.v[k] + r_bias.v[k]);
            z.v[k] = sigmoid(z.v[k] + z_bias.v[k]);
            n.v[k] = tanhf(n.v[k] + r.v[k] * share.v[k]);
            out.v[k] = (1.0f - z.v[k]) * n.v[k] + z.v[k] * state.v[k];
        }
        store(gates, r);
        store(gates + columns, z);
        store(gates + 2 * columns, n);
        store(floats(op, 2) + i, out);
        if (!gain) return;
        float sum = 0.0f, squares = 0.0f;
        add_values(out, sum);
        const float mean = mean_of(sum, columns);
        add_squares(out, mean, squares);
        const float reciprocal = reciprocal_of(squares, columns);
        store(floats(op, 6) + i, normed(out, mean, reciprocal, own_gain, own_bias));
        if (c == 0) *(float2*)(floats(op, 7) + 2 * row) = float2{mean, reciprocal};
    });
}

static __device__ __noinline__ void gru_gates(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(gru_gates_of, op.s[1])
}

// What the gradients of a unit's gates need of a row.
template <int N>
struct Gates {
    Pack<N> r, z, n, share, state, d_state;
};

template <int N>
static __device__ __forceinline__ Gates<N> load_gates(const float* gates, const float* state, const float* d_state,
                                                      u32 columns, bool add) {
    return {load<N>(gates), load<N>(gates + columns), load<N>(gates + 2 * columns),
            load<N>(gates + 3 * columns), load<N>(state), old_of<N>(d_state, add)};
}

// The gradients of the sums, in the same order, and that of the state if it is wanted.
template <int N>
static __device__ __forceinline__ void put_gates(const Gates<N>& own, const Pack<N>& dy, u32 columns, float* to,
                                                 float* d_state) {
    const Pack<N>&r = own.r, &z = own.z, &n = own.n, &share = own.share;
    Pack<N> d_r, d_z, d_n, d_share, d = own.d_state;
#pragma unroll
    for (int k = 0; k < N; k++) {
        d_n.v[k] = dy.v[k] * (1.0f - z.v[k]) * fmaf(-n.v[k], n.v[k], 1.0f);
        d_r.v[k] = d_n.v[k] * share.v[k] * r.v[k] * (1.0f - r.v[k]);
        d_z.v[k] = dy.v[k] * (own.state.v[k] - n.v[k]) * z.v[k] * (1.0f - z.v[k]);
        d_share.v[k] = d_n.v[k] * r.v[k];
        d.v[k] = fmaf(dy.v[k], z.v[k], d.v[k]);
    }
    store(to, d_r);
    store(to + columns, d_z);
    store(to + 2 * columns, d_n);
    store(to + 3 * columns, d_share);
    if (d_state) store(d_state, d);
}

//   p: gates, state, dy, to, d_state;  s: rows, columns, add to d_state
template <int N>
static __device__ __forceinline__ void gru_gates_gradient_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 row = divided(op, i), c = i - row * columns;
        const u64 at = (u64)(4 * row) * columns + c;
        float* d_state = floats(op, 4) ? floats(op, 4) + i : nullptr;
        const Gates<N> own = load_gates<N>(floats(op, 0) + at, floats(op, 1) + i, d_state, columns, op.s[2]);
        put_gates(own, load<N>(floats(op, 2) + i), columns, floats(op, 3) + at, d_state);
    });
}

static __device__ __noinline__ void gru_gates_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(gru_gates_gradient_of, op.s[1])
}

// Where the activated result of the layer before is not positive, dx gets 0.
//   p: x, gain, saved, dy, dx, of the gates before: gates, state, to, d_state, and [12] activated;
//   s: rows, columns, add, add to d_state
template <int N>
static __device__ __forceinline__ void layer_norm_input_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1], row = tile * WARPS + threadIdx.x / 32, first = threadIdx.x % 32 * N;
    if (row >= op.s[0]) return;
    const float *x = floats(op, 0) + row * columns, *dy = floats(op, 3) + row * columns;
    float* dx = floats(op, 4) + row * columns;
    const float* active = floats(op, 12) ? floats(op, 12) + row * columns : 0;
    // Of the gates before the norm, if there are any.
    const u64 at = (u64)(4 * row) * columns + first;
    const u32 i = row * columns + first;
    float *to_gates = floats(op, 7), *d_state = floats(op, 8) ? floats(op, 8) + i : nullptr;
    Gates<N> own = {};
    if (to_gates) own = load_gates<N>(floats(op, 5) + at, floats(op, 6) + i, d_state, columns, op.s[3]);
    const float mean = floats(op, 2)[2 * row], reciprocal = floats(op, 2)[2 * row + 1];
    float sum = 0.0f, sum_h = 0.0f;
    // All that most rows need is on its way before the first sum.
    auto load_old = [&](u32 c) { return old_of<N>(dx + c, op.s[2]); };
    auto load_passes = [&](u32 c) { return active ? load<N>(active + c) : filled<N>(1.0f); };
    Pack<N> old0 = filled<N>(0.0f), passes0 = filled<N>(1.0f);
    if (first < columns) {
        old0 = load_old(first);
        passes0 = load_passes(first);
    }
    // g = gain * dy, and the normalised row h.
    auto read = [&](u32 c, Pack<N>& g, Pack<N>& h) {
        const Pack<N> gain = load<N>(floats(op, 1) + c);
        g = load<N>(dy + c);
        h = load<N>(x + c);
#pragma unroll
        for (int k = 0; k < N; k++) {
            g.v[k] *= gain.v[k];
            h.v[k] = (h.v[k] - mean) * reciprocal;
        }
    };
#pragma unroll 1
    for (u32 c = first; c < columns; c += 32 * N) {
        Pack<N> g, h;
        read(c, g, h);
#pragma unroll
        for (int k = 0; k < N; k++) {
            sum += g.v[k];
            sum_h += g.v[k] * h.v[k];
        }
    }
    sum = warp_sum(sum) / columns;
    sum_h = warp_sum(sum_h) / columns;
#pragma unroll 1
    for (u32 c = first; c < columns; c += 32 * N) {
        Pack<N> g, h;
        read(c, g, h);
        const Pack<N> old = c == first ? old0 : load_old(c), passes = c == first ? passes0 : load_passes(c);
        Pack<N> d;
#pragma unroll
        for (int k = 0; k < N; k++) {
            d.v[k] = reciprocal * (g.v[k] - sum - h.v[k] * sum_h) + old.v[k];
            d.v[k] = passes.v[k] <= 0.0f ? 0.0f : d.v[k];
        }
        store(dx + c, d);
        if (to_gates) put_gates(own, d, columns, to_gates + at, d_state);
    }
}

static __device__ __noinline__ void layer_norm_input(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(layer_norm_input_of, op.s[1])
}
