// Norms of columns, and what is before and behind them on the same columns.
//
// A tile has a few columns of all rows. Messages and the gradient of a maximum make what is normed or its
// gradient, maxima and the gradients of messages take what comes out, all on the same columns: so one
// operator does both (program/joined.rs), and what a block has made, it has in registers or in shared
// memory. Launched apart they give the same results, so additions of products are written as what they
// become.

// What else a norm does, s[7]: nothing, or what is before it, or what is behind it.
enum { NORM_ALONE, NORM_AND_BEFORE, NORM_AND_BEHIND };

// What a block has in shared memory: values of its columns, where nodes' entries begin, and entries of the
// other direction. Behind what sums need.
struct Here {
    float* values;
    u32 *offsets, *reverse;
};

static __device__ __forceinline__ Here what_is_here(float* shared) {
    // The host joins norms of so many rows, and of no more nodes.
    const u32 MOST = KEPT * GROUPS, SUMS = 256;
    static_assert(SUMS + MOST * COLUMNS + 2 * MOST + 1 <= SHARED_FLOATS, "what the host gives");
    u32* numbers = (u32*)(shared + SUMS + MOST * COLUMNS);
    return Here{shared + SUMS, numbers, numbers + MOST + 1};
}

// Begins to copy numbers to shared memory.
static __device__ __forceinline__ void bring_numbers(const u32* from, u32 count, u32* to) {
    const u32 place = (u32)__cvta_generic_to_shared(to);
    for (u32 i = threadIdx.x; i < count; i += THREADS) copy_one_ahead(place + 4 * i, (const float*)from + i, false);
}

// 1 / sqrt(x), by one step of Newton's method.
static __device__ __forceinline__ float reciprocal_root(double x) {
    const double guess = rsqrtf((float)x);
    return (float)(guess * (1.5 - 0.5 * x * guess * guess));
}

// The messages that a thread has of a column, by the same sums as `message`.
static __device__ __forceinline__ void messages_of_column(const Op& op, u32 c, float (&kept)[KEPT]) {
    const u32 rows = op.s[0], columns = op.s[1], first = op.s[4] + threadIdx.x / COLUMNS;
    const u32 *neighbours = numbers(op, 11) + first, *nodes = numbers(op, 12) + first;
    const float* weights = floats(op, 9);
    const float scale = weights ? floats(op, 10)[c] : 0.0f;
    u32 ends[KEPT][2] = {};
    float of_target[KEPT] = {}, factors[KEPT] = {};
    auto each = [&](auto use) { each_kept(rows, columns, c, [&](u32 k, u32) { use(k, k * GROUPS); }); };
    each([&](u32 k, u32 row) {
        ends[k][0] = neighbours[row];
        ends[k][1] = nodes[row];
        if (weights) factors[k] = weights[first + row];
    });
    each([&](u32 k, u32) {
        kept[k] = floats(op, 7)[ends[k][0] * columns + c];
        of_target[k] = floats(op, 8)[ends[k][1] * columns + c];
    });
    each([&](u32 k, u32) {
        kept[k] += of_target[k];
        if (weights) kept[k] = fmaf(scale, factors[k], kept[k]);
        if (op.s[3]) kept[k] = relu(kept[k]);
    });
}

// The maxima of a column over the entries of each node.
static __device__ __forceinline__ void maxima_of_column(const Op& op, u32 c, const Here& here) {
    const u32 columns = op.s[1], own = threadIdx.x % COLUMNS;
    wait_for_stage<0>();
    __syncthreads();
#pragma unroll 1
    for (u32 node = threadIdx.x / COLUMNS; node < op.s[6]; node += GROUPS) {
        Pack<1> largest;
        u32 origin[1];
        largest_of<1, 4>(
            here.offsets[node], here.offsets[node + 1], [](u32 row) { return row; },
            [&](u32, u32 row) { return load<1>(here.values + row * COLUMNS + own); }, largest, origin);
        store(floats(op, 8) + node * columns + c, largest);
        if (numbers(op, 9)) store_origin<1>(numbers(op, 9) + node * columns + c, origin);
    }
}

// Sums are taken in double precision: in a long recurrence batch norm amplifies what they lose. They are
// those of differences to the first row, so that the variance needs no mean that must be there before.
//   p: x, gain, bias, running mean, running variance, out, saved;  s: rows, columns, relu
// With messages before:
//   p[7 ..] source, target, weights, scale, neighbours, rows;  s[3 ..] relu, first entry
// With maxima behind:
//   p[7 ..] offsets, out, origin;  s[6] nodes
static __device__ __noinline__ void batch_norm(u32 slot, u32 tile, float* scratch) {
    // Divisions in double precision take long, and here is time.
    const double a_row = 1.0 / described[slot].s[0], unbiased_row = 1.0 / max(described[slot].s[0] - 1, 1u);
    const Op& op = awaited(slot);
    float *x = floats(op, 0), *out = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2], with = op.s[7];
    const Here here = what_is_here(scratch);
    if (with == NORM_AND_BEHIND) bring_numbers(numbers(op, 7), op.s[6] + 1, here.offsets);
    close_stage();
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    const bool there = c < columns;
    const u32 n_rows = there ? rows : 0;
    float kept[KEPT] = {};
    float first_row = 0.0f;
    if (with == NORM_AND_BEFORE) {
        messages_of_column(op, c, kept);
        each_kept(n_rows, columns, c, [&](u32 k, u32 at) { x[at] = kept[k]; });
    } else {
        each_kept(n_rows, columns, c, [&](u32 k, u32 at) { kept[k] = x[at]; });
        if (n_rows) first_row = x[c];
    }
    // On their way too, before the first sum.
    auto learned = [&](u32 i) { return there ? floats(op, i)[c] : 0.0f; };
    const float gain_of_column = learned(1), bias = learned(2), old_mean = learned(3), old_variance = learned(4);
    if (with == NORM_AND_BEFORE) {
        if (threadIdx.x < COLUMNS) here.values[c % COLUMNS] = kept[0];
        __syncthreads();
        first_row = here.values[c % COLUMNS];
    }
    const double first = first_row;
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
        const float y = fmaf(gain, value - centre, bias);
        return active ? relu(y) : y;
    };
    each_kept(rows, columns, c, [&](u32 k, u32 at) {
        const float y = normed(kept[k]);
        out[at] = y;
        if (with == NORM_AND_BEHIND) here.values[k * THREADS + threadIdx.x] = y;
    });
    each_row(rows, columns, c, [&](u32 at, u32) { out[at] = normed(x[at]); }, KEPT);
    if (threadIdx.x < COLUMNS) {
        const float unbiased = (float)(total * unbiased_row);
        floats(op, 3)[c] = (1.0f - MOMENTUM) * old_mean + MOMENTUM * centre;
        floats(op, 4)[c] = (1.0f - MOMENTUM) * old_variance + MOMENTUM * unbiased;
        floats(op, 6)[c] = centre;
        floats(op, 6)[columns + c] = reciprocal;
    }
    if (with == NORM_AND_BEHIND) maxima_of_column(op, c, here);
}

// The gradient of the maximum over a node's entries for each of these, in one column: where it came from.
static __device__ __forceinline__ void spread_over_column(const Op& op, u32 c, const Here& here, float* dx) {
    const u32 columns = op.s[1], nodes = op.s[6], own = threadIdx.x % COLUMNS;
    const u32 *offsets = numbers(op, 9), *origins = numbers(op, 10);
    const float* dy = floats(op, 8);
    // Two nodes at a time: most graphs have no more for each thread.
    const u32 AT_ONCE = 2;
#pragma unroll 1
    for (u32 start = threadIdx.x / COLUMNS; start < nodes; start += AT_ONCE * GROUPS) {
        u32 first[AT_ONCE] = {}, end[AT_ONCE] = {}, origin[AT_ONCE] = {};
        float d[AT_ONCE] = {};
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            const u32 node = start + k * GROUPS;
            if (node >= nodes) continue;
            first[k] = offsets[node];
            end[k] = offsets[node + 1];
            origin[k] = origins[node * columns + c];
            d[k] = dy[node * columns + c];
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
#pragma unroll 1
            for (u32 row = first[k]; row < end[k]; row++) {
                const float passed = row == origin[k] ? d[k] : 0.0f;
                here.values[row * COLUMNS + own] = passed;
                dx[row * columns + c] = passed;
            }
        }
    }
    __syncthreads();
}

// The sums of a column over the entries of each node, and over those of the other direction.
static __device__ __forceinline__ void ends_of_column(const Op& op, u32 c, const Here& here) {
    const u32 columns = op.s[1], nodes = op.s[6], own = threadIdx.x % COLUMNS;
    wait_for_stage<0>();
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x / COLUMNS; i < 2 * nodes; i += GROUPS) {
        const bool of_source = i < nodes;
        const u32 node = of_source ? i : i - nodes;
        const Pack<1> sum = sum_over<1, 4>(
            here.offsets[node], here.offsets[node + 1],
            [&](u32 entry) { return of_source ? here.reverse[entry] : entry; },
            [&](u32, u32 row) { return load<1>(here.values + row * COLUMNS + own); });
        store(floats(op, of_source ? 10 : 11) + node * columns + c, sum);
    }
}

// p: x, y, gain, saved, dy, dx, d_gain, d_bias;
// s: rows, columns, relu, add to dx, add to d_gain, add to d_bias
// With the gradient of a maximum before:
//   p[8 ..] its dy, offsets, origin;  s[6] nodes
// With the gradients of messages behind:
//   p[8 ..] offsets, reverse, d_source, d_target;  s[6] nodes
static __device__ __noinline__ void batch_norm_gradient(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    const float *x = floats(op, 0), *y = floats(op, 1);
    float *dy = floats(op, 4), *dx = floats(op, 5);
    const u32 rows = op.s[0], columns = op.s[1], active = op.s[2], add = op.s[3], with = op.s[7];
    const Here here = what_is_here(scratch);
    if (with == NORM_AND_BEHIND) {
        bring_numbers(numbers(op, 8), op.s[6] + 1, here.offsets);
        bring_numbers(numbers(op, 9), rows, here.reverse);
    }
    close_stage();
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
        if (with != NORM_AND_BEFORE) d_kept[k] = dy[at];
        h_kept[k] = x[at];
        y_kept[k] = active ? y[at] : 1.0f;
        old_kept[k] = add ? dx[at] : 0.0f;
    });
    const float gain = there ? floats(op, 2)[c] : 0.0f;
    const float old_gain = there && op.s[4] ? floats(op, 6)[c] : 0.0f;
    const float old_bias = there && op.s[5] ? floats(op, 7)[c] : 0.0f;
    if (with == NORM_AND_BEFORE) {
        spread_over_column(op, c, here, dy);
        each_kept(n_rows, columns, c, [&](u32 k, u32) { d_kept[k] = here.values[k * THREADS + threadIdx.x]; });
    }
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
    auto passed_on = [&](float old, float d, float h) {
        return fmaf(factor, fmaf(-h, mean_h, d - mean_d), old);
    };
    each_kept(rows, columns, c, [&](u32 k, u32 at) {
        const float d = passed_on(old_kept[k], d_kept[k], h_kept[k]);
        dx[at] = d;
        if (with == NORM_AND_BEHIND) here.values[k * THREADS + threadIdx.x] = d;
    });
    each_row(rows, columns, c, [&](u32 at, u32) {
        dx[at] = passed_on(add ? dx[at] : 0.0f, load_d(at), load_h(at));
    }, KEPT);
    if (with == NORM_AND_BEHIND) ends_of_column(op, c, here);
}
