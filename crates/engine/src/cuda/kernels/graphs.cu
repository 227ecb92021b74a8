// Operators over the entries of a graph and over segments.

// activation(source[neighbour] + target[row] + weight * scale + bias), from
//   p[0] source, p[1] target, p[2] weights, p[3] scale, p[4] bias, p[5] neighbours, p[6] rows
static __device__ __forceinline__ float message(const Op& op, u32 entry, u32 columns, u32 c, bool active) {
    float sum = 0.0f;
    if (floats(op, 0)) sum += floats(op, 0)[(u64)numbers(op, 5)[entry] * columns + c];
    if (floats(op, 1)) sum += floats(op, 1)[(u64)numbers(op, 6)[entry] * columns + c];
    if (floats(op, 2)) sum += floats(op, 2)[entry] * floats(op, 3)[c];
    if (floats(op, 4)) sum += floats(op, 4)[c];
    return active ? relu(sum) : sum;
}

// p[7] out;  s: first entry, entries, columns, relu
static __device__ __noinline__ void messages(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[2];
    put_values<4>(op, tile, op.s[1] * columns, floats(op, 7), false, [&](u32 i) {
        return message(op, op.s[0] + i / columns, columns, i % columns, op.s[3]);
    });
}

// dx [nodes, columns] (+)= the sum of dy over the entries whose other end is the node.
//   p: offsets, reverse, dy, dx;  s: nodes, columns, add
static __device__ __noinline__ void messages_source(const Op& op, u32 tile, float*) {
    const u32 *offsets = numbers(op, 0), *reverse = numbers(op, 1);
    const float* dy = floats(op, 2);
    const u32 columns = op.s[1];
    put_values<1>(op, tile, op.s[0] * columns, floats(op, 3), op.s[2], [&](u32 i) {
        const u32 node = i / columns, c = i % columns, end = offsets[node + 1];
        float sum = 0.0f;
#pragma unroll 4
        for (u32 k = offsets[node]; k < end; k++) sum += dy[(u64)reverse[k] * columns + c];
        return sum;
    });
}

// p[7] offsets, p[8] out, p[9] origin;  s: nodes, columns, relu
static __device__ __noinline__ void gather_max(const Op& op, u32 tile, float*) {
    const u32* offsets = numbers(op, 7);
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u32 node = i / columns, c = i % columns, end = offsets[node + 1];
        float largest = 0.0f;
        u32 from = NONE;
#pragma unroll 4
        for (u32 k = offsets[node]; k < end; k++) {
            const float value = message(op, k, columns, c, op.s[2]);
            if (from == NONE || value > largest) {
                largest = value;
                from = k;
            }
        }
        floats(op, 8)[i] = largest;
        if (numbers(op, 9)) numbers(op, 9)[i] = from;
    }
}

// p: offsets, reverse, neighbours, dy, origin, dx;  s: nodes, columns, add
static __device__ __noinline__ void gather_max_source(const Op& op, u32 tile, float*) {
    const u32 *offsets = numbers(op, 0), *reverse = numbers(op, 1), *neighbours = numbers(op, 2);
    const float* dy = floats(op, 3);
    const u32 *origin = numbers(op, 4), columns = op.s[1];
    put_values<1>(op, tile, op.s[0] * columns, floats(op, 5), op.s[2], [&](u32 i) {
        const u32 node = i / columns, c = i % columns, end = offsets[node + 1];
        float sum = 0.0f;
#pragma unroll 4
        for (u32 k = offsets[node]; k < end; k++) {
            // The entry of the opposite direction is one of the neighbour's.
            const u64 at = (u64)neighbours[k] * columns + c;
            const float d = dy[at];
            sum += origin[at] == reverse[k] ? d : 0.0f;
        }
        return sum;
    });
}

// p: dy, weights, origin, out;  s: rows, columns, add
static __device__ __noinline__ void gather_max_scale(const Op& op, u32 tile, float* scratch) {
    const float *dy = floats(op, 0), *weights = floats(op, 1);
    const u32 *origin = numbers(op, 2), columns = op.s[1];
    const u32 c = tile * COLUMNS + threadIdx.x % COLUMNS;
    float sum = 0.0f;
    if (c < columns) {
        each_row(op.s[0], columns, c, [&](u64 at, u32) {
            const u32 entry = origin[at];
            sum += entry == NONE ? 0.0f : dy[at] * weights[entry];
        });
    }
    sum = column_sum(sum, scratch);
    if (c < columns && threadIdx.x < COLUMNS) put(floats(op, 3) + c, sum, op.s[2]);
}

// A warp an entry.  p: source, target, rows, neighbours, out;  s: entries, columns
static __device__ __noinline__ void edge_dot(const Op& op, u32 tile, float*) {
    const u32 entry = tile * WARPS + threadIdx.x / 32, columns = op.s[1];
    if (entry >= op.s[0]) return;
    const float* a = floats(op, 0) + (u64)numbers(op, 2)[entry] * columns;
    const float* b = floats(op, 1) + (u64)numbers(op, 3)[entry] * columns;
    float sum = 0.0f;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32; c < columns; c += 32) sum += a[c] * b[c];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) floats(op, 4)[entry] = sum;
}

// p: offsets, neighbours, reverse, dy, other, dx;  s: nodes, columns, add, of the source
static __device__ __noinline__ void edge_dot_gradient(const Op& op, u32 tile, float*) {
    const u32 *offsets = numbers(op, 0), *neighbours = numbers(op, 1), *reverse = numbers(op, 2);
    const float *dy = floats(op, 3), *other = floats(op, 4);
    const u32 columns = op.s[1], of_source = op.s[3];
    put_values<1>(op, tile, op.s[0] * columns, floats(op, 5), op.s[2], [&](u32 i) {
        const u32 node = i / columns, c = i % columns, end = offsets[node + 1];
        float sum = 0.0f;
#pragma unroll 4
        for (u32 k = offsets[node]; k < end; k++) {
            sum += dy[of_source ? k : reverse[k]] * other[(u64)neighbours[k] * columns + c];
        }
        return sum;
    });
}

// The rows of a segment: by offsets, or all of one length.
static __device__ __forceinline__ void segment(const u32* offsets, u32 length, u32 i, u32& first, u32& end) {
    first = offsets ? offsets[i] : i * length;
    end = offsets ? offsets[i + 1] : (i + 1) * length;
}

enum { REDUCE_MAX, REDUCE_SUM, REDUCE_MEAN };

// p: x, offsets, out, origin;  s: segments, columns, length, reduction
static __device__ __noinline__ void segment_reduce(const Op& op, u32 tile, float*) {
    const float* x = floats(op, 0);
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u32 c = i % columns;
        u32 first, end;
        segment(numbers(op, 1), op.s[2], i / columns, first, end);
        float result = 0.0f;
        if (op.s[3] == REDUCE_MAX) {
            u32 from = NONE;
#pragma unroll 4
            for (u32 r = first; r < end; r++) {
                const float value = x[(u64)r * columns + c];
                if (from == NONE || value > result) {
                    result = value;
                    from = r;
                }
            }
            if (numbers(op, 3)) numbers(op, 3)[i] = from;
        } else {
#pragma unroll 4
            for (u32 r = first; r < end; r++) result += x[(u64)r * columns + c];
            if (op.s[3] == REDUCE_MEAN) result /= max(end - first, 1u);
        }
        floats(op, 2)[i] = result;
    }
}

// Writes or adds to the rows of every segment.
//   p: dy, offsets, origin, dx;  s: segments, columns, length, reduction, add
static __device__ __noinline__ void segment_reduce_gradient(const Op& op, u32 tile, float*) {
    const u32 columns = op.s[1];
    EACH_VALUE(i, op.s[0] * columns) {
        const u32 c = i % columns;
        u32 first, end;
        segment(numbers(op, 1), op.s[2], i / columns, first, end);
        float dy = floats(op, 0)[i];
        if (op.s[3] == REDUCE_MEAN) dy /= end - first;
        const u32 from = op.s[3] == REDUCE_MAX ? numbers(op, 2)[i] : NONE;
#pragma unroll 4
        for (u32 r = first; r < end; r++) {
            const float d = op.s[3] != REDUCE_MAX || r == from ? dy : 0.0f;
            put(floats(op, 3) + (u64)r * columns + c, d, op.s[4]);
        }
    }
}

// out [entries, columns]: the gradient of the maximum over a node's entries, where it came from.
//   p: dy, origin, rows, out;  s: entries, columns
static __device__ __noinline__ void spread(const Op& op, u32 tile, float*) {
    const float* dy = floats(op, 0);
    const u32 *origin = numbers(op, 1), *rows = numbers(op, 2), columns = op.s[1];
    put_values<4>(op, tile, op.s[0] * columns, floats(op, 3), false, [&](u32 i) {
        const u64 at = (u64)rows[i / columns] * columns + i % columns;
        const float d = dy[at];
        return origin[at] == i / columns ? d : 0.0f;
    });
}

// A warp for each column of each segment.  p: x, offsets, out;  s: segments, columns, length
static __device__ __noinline__ void log_softmax(const Op& op, u32 tile, float*) {
    const u32 i = tile * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, columns = op.s[1];
    if (i >= op.s[0] * columns) return;
    u32 first, end;
    segment(numbers(op, 1), op.s[2], i / columns, first, end);
    const float* x = floats(op, 0) + i % columns;
    float* out = floats(op, 2) + i % columns;
    float largest = -INFINITE, sum = 0.0f;
    for (u32 r = first + lane; r < end; r += 32) largest = fmaxf(largest, x[(u64)r * columns]);
    largest = warp_max(largest);
    for (u32 r = first + lane; r < end; r += 32) sum += expf(x[(u64)r * columns] - largest);
    const float shift = largest + logf(warp_sum(sum));
    for (u32 r = first + lane; r < end; r += 32) out[(u64)r * columns] = x[(u64)r * columns] - shift;
}

// p: y, dy, offsets, dx;  s: segments, columns, length, add
static __device__ __noinline__ void log_softmax_gradient(const Op& op, u32 tile, float*) {
    const u32 i = tile * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, columns = op.s[1];
    if (i >= op.s[0] * columns) return;
    u32 first, end;
    segment(numbers(op, 2), op.s[2], i / columns, first, end);
    const float *y = floats(op, 0) + i % columns, *dy = floats(op, 1) + i % columns;
    float* dx = floats(op, 3) + i % columns;
    float sum = 0.0f;
    for (u32 r = first + lane; r < end; r += 32) sum += dy[(u64)r * columns];
    sum = warp_sum(sum);
    for (u32 r = first + lane; r < end; r += 32) {
        const u64 at = (u64)r * columns;
        put(dx + at, dy[at] - expf(y[at]) * sum, op.s[3]);
    }
}
