// Operators over the entries of a graph and over segments.

// activation(source[neighbour] + target[row] + weight * scale + bias), from
//   p[0] source, p[1] target, p[2] weights, p[3] scale, p[4] bias, p[5] neighbours, p[6] rows
template <int N>
static __device__ __forceinline__ Pack<N> message(
    const Op& op, u32 entry, u32 neighbour, u32 row, u32 columns, u32 c, bool active) {
    Pack<N> sum = floats(op, 0) ? load<N>(floats(op, 0) + neighbour * columns + c) : filled<N>(0.0f);
    auto add = [&](const Pack<N>& term, float factor) {
#pragma unroll
        for (int k = 0; k < N; k++) sum.v[k] = fmaf(term.v[k], factor, sum.v[k]);
    };
    if (floats(op, 1)) add(load<N>(floats(op, 1) + row * columns + c), 1.0f);
    if (floats(op, 2)) add(load<N>(floats(op, 3) + c), floats(op, 2)[entry]);
    if (floats(op, 4)) add(load<N>(floats(op, 4) + c), 1.0f);
    if (active) {
#pragma unroll
        for (int k = 0; k < N; k++) sum.v[k] = relu(sum.v[k]);
    }
    return sum;
}

// p[7] out;  s: first entry, entries, columns, relu
template <int N>
static __device__ __forceinline__ void messages_of(const Op& op, u32 tile) {
    const u32 columns = op.s[2];
    each_pack<N>(op, tile, op.s[1] * columns, [&](u32 i) {
        const u32 number = divided(op, i), entry = op.s[0] + number;
        const u32 neighbour = floats(op, 0) ? numbers(op, 5)[entry] : 0;
        const u32 row = floats(op, 1) ? numbers(op, 6)[entry] : 0;
        store(floats(op, 7) + i,
              message<N>(op, entry, neighbour, row, columns, i - number * columns, op.s[3]));
    });
}

static __device__ __noinline__ void messages(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(messages_of, op.s[2])
}

// Calls `use(entry, value)` for entries from `first` on, in their order. AHEAD of them are on their way
// at a time: first what `find` says of each, where to look, and then the values there.
template <int N, int AHEAD, class Find, class Value, class Use>
static __device__ __forceinline__ void each_entry(u32 first, u32 end, Find find, Value value, Use use) {
#pragma unroll 1
    for (; first < end; first += AHEAD) {
        // After the last entry it is read again: to branch would take longer.
        auto entry = [&](u32 k) { return min(first + k, end - 1); };
        decltype(find(first)) places[AHEAD];
        Pack<N> values[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) places[k] = find(entry(k));
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) values[k] = value(entry(k), places[k]);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            if (first + k < end) use(first + k, values[k]);
        }
    }
}

// As many as most nodes have, where there are registers for them.
static const int ENTRIES = 8;

// The sum of the values of a node's entries.
template <int N, int AHEAD, class Find, class Value>
static __device__ __forceinline__ Pack<N> sum_over(u32 first, u32 end, Find find, Value value) {
    Pack<N> sum = filled<N>(0.0f);
    each_entry<N, AHEAD>(first, end, find, value, [&](u32, const Pack<N>& term) {
#pragma unroll
        for (int k = 0; k < N; k++) sum.v[k] += term.v[k];
    });
    return sum;
}

// dx [nodes, columns] (+)= the sum of dy over the entries whose other end is the node.
//   p: offsets, reverse, dy, dx;  s: nodes, columns, add
template <int N>
static __device__ __forceinline__ void messages_source_of(const Op& op, u32 tile) {
    const u32 *offsets = numbers(op, 0), *reverse = numbers(op, 1), columns = op.s[1];
    const float* dy = floats(op, 2);
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 node = divided(op, i), c = i - node * columns;
        const Pack<N> old = old_of<N>(floats(op, 3) + i, op.s[2]);
        const Pack<N> sum = sum_over<N, ENTRIES>(
            offsets[node], offsets[node + 1], [&](u32 entry) { return reverse[entry]; },
            [&](u32, u32 other) { return load<N>(dy + other * columns + c); });
        store(floats(op, 3) + i, plus(old, sum));
    });
}

static __device__ __noinline__ void messages_source(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(messages_source_of, op.s[1])
}

// Both gradients of messages at once: d_source as above, and d_target [nodes, columns] = the sum of dy
// over a node's entries.
//   p: offsets, reverse, dy, d_source, d_target;  s: nodes, columns
template <int N>
static __device__ __forceinline__ void messages_ends_of(const Op& op, u32 tile) {
    const u32 *offsets = numbers(op, 0), *reverse = numbers(op, 1), nodes = op.s[0], columns = op.s[1];
    const float* dy = floats(op, 2);
    each_pack<N>(op, tile, 2 * nodes * columns, [&](u32 i) {
        const u32 row = divided(op, i), c = i - row * columns;
        const bool of_source = row < nodes;
        const u32 node = of_source ? row : row - nodes;
        const Pack<N> sum = sum_over<N, ENTRIES>(
            offsets[node], offsets[node + 1], [&](u32 entry) { return of_source ? reverse[entry] : entry; },
            [&](u32, u32 other) { return load<N>(dy + other * columns + c); });
        store(floats(op, of_source ? 3 : 4) + node * columns + c, sum);
    });
}

static __device__ __noinline__ void messages_ends(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(messages_ends_of, op.s[1])
}

// The largest of the values of entries and which it is, the first of equal ones.
template <int N, int AHEAD, class Find, class Value>
static __device__ __forceinline__ void largest_of(
    u32 first, u32 end, Find find, Value value, Pack<N>& largest, u32 (&origin)[N]) {
    largest = filled<N>(0.0f);
#pragma unroll
    for (int k = 0; k < N; k++) origin[k] = NONE;
    each_entry<N, AHEAD>(first, end, find, value, [&](u32 entry, const Pack<N>& found) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (entry == first || found.v[k] > largest.v[k]) {
                largest.v[k] = found.v[k];
                origin[k] = entry;
            }
        }
    });
}

template <int N>
static __device__ __forceinline__ void store_origin(u32* to, const u32 (&origin)[N]) {
    Pack<N> pack;
#pragma unroll
    for (int k = 0; k < N; k++) pack.v[k] = __uint_as_float(origin[k]);
    store((float*)to, pack);
}

// p[7] offsets, p[8] out, p[9] origin;  s: nodes, columns, relu
template <int N, int AHEAD = 2>
static __device__ __forceinline__ void gather_max_of(const Op& op, u32 tile) {
    const u32 *offsets = numbers(op, 7), columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 node = divided(op, i), c = i - node * columns;
        Pack<N> largest;
        u32 origin[N];
        largest_of<N, AHEAD>(
            offsets[node], offsets[node + 1],
            [&](u32 entry) { return floats(op, 0) ? numbers(op, 5)[entry] : 0; },
            [&](u32 entry, u32 neighbour) {
                return message<N>(op, entry, neighbour, node, columns, c, op.s[2]);
            },
            largest, origin);
        store(floats(op, 8) + i, largest);
        if (numbers(op, 9)) store_origin<N>(numbers(op, 9) + i, origin);
    });
}

static __device__ __noinline__ void gather_max(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(gather_max_of, op.s[1], ENTRIES)
}

// p: offsets, reverse, neighbours, dy, origin, dx;  s: nodes, columns, add
template <int N>
static __device__ __forceinline__ void gather_max_source_of(const Op& op, u32 tile) {
    const u32 *offsets = numbers(op, 0), *reverse = numbers(op, 1), *neighbours = numbers(op, 2);
    const u32 columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 node = divided(op, i), c = i - node * columns;
        const Pack<N> old = old_of<N>(floats(op, 5) + i, op.s[2]);
        // The entry of the opposite direction is one of the neighbour's.
        const Pack<N> sum = sum_over<N, ENTRIES / 2>(
            offsets[node], offsets[node + 1],
            [&](u32 entry) { return make_uint2(neighbours[entry], reverse[entry]); },
            [&](u32, uint2 there) {
                const u32 at = there.x * columns + c;
                const Pack<N> origin = load<N>(floats(op, 4) + at);
                Pack<N> dy = load<N>(floats(op, 3) + at);
#pragma unroll
                for (int k = 0; k < N; k++) {
                    if (__float_as_uint(origin.v[k]) != there.y) dy.v[k] = 0.0f;
                }
                return dy;
            });
        store(floats(op, 5) + i, plus(old, sum));
    });
}

static __device__ __noinline__ void gather_max_source(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(gather_max_source_of, op.s[1])
}

// p: dy, weights, origin, out;  s: rows, columns, add
static __device__ __noinline__ void gather_max_scale(u32 slot, u32 tile, float* scratch) {
    const Op& op = awaited(slot);
    const float *dy = floats(op, 0), *weights = floats(op, 1);
    const u32 *origin = numbers(op, 2), columns = op.s[1];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float sum = 0.0f;
    if (c < columns) {
        each_row(op.s[0], columns, c, [&](u32 at, u32) {
            const u32 entry = origin[at];
            sum += entry == NONE ? 0.0f : dy[at] * weights[entry];
        });
    }
    sum = column_sum(sum, scratch);
    if (c < columns && threadIdx.x < COLUMNS) put(floats(op, 3) + c, sum, op.s[2]);
}

// A warp an entry.  p: source, target, rows, neighbours, out;  s: entries, columns
template <int N>
static __device__ __forceinline__ void edge_dot_of(const Op& op, u32 tile) {
    const u32 entry = tile * WARPS + threadIdx.x / 32, columns = op.s[1];
    if (entry >= op.s[0]) return;
    const float* a = floats(op, 0) + numbers(op, 2)[entry] * columns;
    const float* b = floats(op, 1) + numbers(op, 3)[entry] * columns;
    float sum = 0.0f;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32 * N; c < columns; c += 32 * N) {
        const Pack<N> x = load<N>(a + c), y = load<N>(b + c);
#pragma unroll
        for (int k = 0; k < N; k++) sum += x.v[k] * y.v[k];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) floats(op, 4)[entry] = sum;
}

static __device__ __noinline__ void edge_dot(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(edge_dot_of, op.s[1])
}

// p: offsets, neighbours, reverse, dy, other, dx;  s: nodes, columns, add, of the source
template <int N>
static __device__ __forceinline__ void edge_dot_gradient_of(const Op& op, u32 tile) {
    const u32 *offsets = numbers(op, 0), *neighbours = numbers(op, 1), *reverse = numbers(op, 2);
    const float *dy = floats(op, 3), *other = floats(op, 4);
    const u32 columns = op.s[1], of_source = op.s[3];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 node = divided(op, i), c = i - node * columns;
        const Pack<N> old = old_of<N>(floats(op, 5) + i, op.s[2]);
        const Pack<N> sum = sum_over<N, ENTRIES>(
            offsets[node], offsets[node + 1],
            [&](u32 entry) { return make_uint2(neighbours[entry], of_source ? entry : reverse[entry]); },
            [&](u32, uint2 there) {
                const float d = dy[there.y];
                Pack<N> value = load<N>(other + there.x * columns + c);
#pragma unroll
                for (int k = 0; k < N; k++) value.v[k] *= d;
                return value;
            });
        store(floats(op, 5) + i, plus(old, sum));
    });
}

static __device__ __noinline__ void edge_dot_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(edge_dot_gradient_of, op.s[1])
}

// The rows of a segment: by offsets, or all of one length.
static __device__ __forceinline__ void segment(const u32* offsets, u32 length, u32 i, u32& first, u32& end) {
    first = offsets ? offsets[i] : i * length;
    end = offsets ? offsets[i + 1] : (i + 1) * length;
}

enum { REDUCE_MAX, REDUCE_SUM, REDUCE_MEAN };

// p: x, offsets, out, origin;  s: segments, columns, length, reduction
template <int N, int AHEAD = 2>
static __device__ __forceinline__ void segment_reduce_of(const Op& op, u32 tile) {
    const float* x = floats(op, 0);
    const u32 columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 number = divided(op, i), c = i - number * columns;
        auto find = [](u32 r) { return r; };
        auto value = [&](u32, u32 r) { return load<N>(x + r * columns + c); };
        u32 first, end;
        segment(numbers(op, 1), op.s[2], number, first, end);
        Pack<N> result;
        if (op.s[3] == REDUCE_MAX) {
            u32 origin[N];
            largest_of<N, AHEAD>(first, end, find, value, result, origin);
            if (numbers(op, 3)) store_origin<N>(numbers(op, 3) + i, origin);
        } else {
            result = sum_over<N, AHEAD>(first, end, find, value);
            if (op.s[3] == REDUCE_MEAN) {
#pragma unroll
                for (int k = 0; k < N; k++) result.v[k] /= max(end - first, 1u);
            }
        }
        store(floats(op, 2) + i, result);
    });
}

static __device__ __noinline__ void segment_reduce(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(segment_reduce_of, op.s[1], ENTRIES)
}

// Writes or adds to the rows of every segment.
//   p: dy, offsets, origin, dx;  s: segments, columns, length, reduction, add
template <int N>
static __device__ __forceinline__ void segment_reduce_gradient_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1], reduction = op.s[3];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 number = divided(op, i), c = i - number * columns;
        u32 first, end;
        segment(numbers(op, 1), op.s[2], number, first, end);
        const Pack<N> dy = load<N>(floats(op, 0) + i);
        const Pack<N> origin = reduction == REDUCE_MAX ? load<N>(floats(op, 2) + i) : filled<N>(0.0f);
        const float factor = reduction == REDUCE_MEAN ? 1.0f / (end - first) : 1.0f;
#pragma unroll 2
        for (u32 r = first; r < end; r++) {
            Pack<N> d;
#pragma unroll
            for (int k = 0; k < N; k++) {
                const bool passes = reduction != REDUCE_MAX || __float_as_uint(origin.v[k]) == r;
                d.v[k] = passes ? dy.v[k] * factor : 0.0f;
            }
            float* dx = floats(op, 3) + r * columns + c;
            store(dx, plus(old_of<N>(dx, op.s[4]), d));
        }
    });
}

static __device__ __noinline__ void segment_reduce_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(segment_reduce_gradient_of, op.s[1])
}

// out [entries, columns]: the gradient of the maximum over a node's entries, where it came from.
//   p: dy, origin, rows, out;  s: entries, columns
template <int N>
static __device__ __forceinline__ void spread_of(const Op& op, u32 tile) {
    const u32 columns = op.s[1];
    each_pack<N>(op, tile, op.s[0] * columns, [&](u32 i) {
        const u32 entry = divided(op, i), at = numbers(op, 2)[entry] * columns + i - entry * columns;
        const Pack<N> origin = load<N>(floats(op, 1) + at);
        Pack<N> dy = load<N>(floats(op, 0) + at);
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (__float_as_uint(origin.v[k]) != entry) dy.v[k] = 0.0f;
        }
        store(floats(op, 3) + i, dy);
    });
}

static __device__ __noinline__ void spread(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    BY_FOURS(spread_of, op.s[1])
}

// A warp for each column of each segment.  p: x, offsets, out;  s: segments, columns, length
static __device__ __noinline__ void log_softmax(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const u32 i = tile * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, columns = op.s[1];
    if (i >= op.s[0] * columns) return;
    const u32 number = divided(op, i), c = i - number * columns;
    u32 first, end;
    segment(numbers(op, 1), op.s[2], number, first, end);
    const float* x = floats(op, 0) + c;
    float* out = floats(op, 2) + c;
    float largest = -INFINITE, sum = 0.0f;
#pragma unroll 1
    for (u32 r = first + lane; r < end; r += 32) largest = fmaxf(largest, x[r * columns]);
    largest = warp_max(largest);
#pragma unroll 1
    for (u32 r = first + lane; r < end; r += 32) sum += expf(x[r * columns] - largest);
    const float shift = largest + logf(warp_sum(sum));
#pragma unroll 1
    for (u32 r = first + lane; r < end; r += 32) out[r * columns] = x[r * columns] - shift;
}

// p: y, dy, offsets, dx;  s: segments, columns, length, add
static __device__ __noinline__ void log_softmax_gradient(u32 slot, u32 tile, float*) {
    const Op& op = awaited(slot);
    const u32 i = tile * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, columns = op.s[1];
    if (i >= op.s[0] * columns) return;
    const u32 number = divided(op, i), c = i - number * columns;
    u32 first, end;
    segment(numbers(op, 2), op.s[2], number, first, end);
    const float *y = floats(op, 0) + c, *dy = floats(op, 1) + c;
    float* dx = floats(op, 3) + c;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 r = first + lane; r < end; r += 32) sum += dy[r * columns];
    sum = warp_sum(sum);
#pragma unroll 1
    for (u32 r = first + lane; r < end; r += 32) {
        const u32 at = r * columns;
        put(dx + at, dy[at] - expf(y[at]) * sum, op.s[3]);
    }
}
