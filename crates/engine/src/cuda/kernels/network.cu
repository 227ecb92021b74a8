// Messages through layers to the maximum at every node, of which none is ever stored: made in registers
// from what both ends say, multiplied as rows of `split.cu` are, by two layers one after the other
// where both are small, and reduced by warps.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
namespace split {

// What a warp passes on to take maxima of: 16 rows of 64 columns.
constexpr u32 STAGE_COLUMNS = 64, STAGE_FLOATS = 16 * STAGE_COLUMNS;

struct Dense {
    const float *weight, *bias;
};

// Messages along entries, one or two layers on them, and the maximum at every node.
struct Network {
    const float *source, *target, *weights, *scale, *bias;
    const u32 *neighbours, *nodes;
    float *out;
    Dense layers[2];
    u32 entries, width, columns, relu, last_relu, unused;
};

// activation(source[neighbour] + target[node] + weight * scale + bias), entry by entry.
struct MessageRows {
    const Network &job;
    const float *source[2], *target[2];
    float weights[2];
    u32 at = 0;
    Pack<4> x[2][SLICE / 16], y[2][SLICE / 16];

    __device__ __forceinline__ MessageRows(const Network &job, u32 first) : job(job) {
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32 entry = min(first + 8 * half, job.entries - 1), lane = threadIdx.x % 4 * 4;
            source[half] = job.source + (size_t)job.neighbours[entry] * job.width + lane;
            target[half] = job.target + (size_t)job.nodes[entry] * job.width + lane;
            weights[half] = job.weights ? job.weights[entry] : 0.0f;
        }
    }

    __device__ __forceinline__ void begin() { at = 0; }

    __device__ __forceinline__ void load() {
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
#pragma unroll
            for (u32 block = 0; block < SLICE / 16; block++) {
                x[half][block] = ::load<4>(source[half] + at + 16 * block);
                y[half][block] = ::load<4>(target[half] + at + 16 * block);
            }
        }
        at += SLICE;
    }

    __device__ __forceinline__ Pack<4> values(u32 half, u32 block) const {
        Pack<4> sum = plus(x[half][block], y[half][block]);
        const u32 column = at - SLICE + 16 * block + threadIdx.x % 4 * 4;
        auto add = [&](const float *terms, float factor) {
            const Pack<4> four = ::load<4>(terms + column);
#pragma unroll
            for (u32 k = 0; k < 4; k++) sum.v[k] += four.v[k] * factor;
        };
        if (job.weights) add(job.scale, weights[half]);
        if (job.bias) add(job.bias, 1.0f);
#pragma unroll
        for (u32 k = 0; k < 4; k++) sum.v[k] = job.relu ? relu(sum.v[k]) : sum.v[k];
        return sum;
    }
};

// The larger of a number and what is there, in any order: as a whole number, a greater positive one is
// greater and a greater negative one is less.
static __device__ __forceinline__ void keep_largest(float *to, float value) {
    const int bits = __float_as_int(value);
    if (bits >= 0) {
        atomicMax((int *)to, bits);
    } else {
        atomicMin((u32 *)to, (u32)bits);
    }
}

// Of which node a warp's 16 entries are, and which of them are their node's last here.
struct Nodes {
    u32 own, ends, count;

    __device__ __forceinline__ Nodes(const Network &job, u32 first) {
        const u32 lane = threadIdx.x % 32;
        count = min(job.entries - min(first, job.entries), 16u);
        own = lane < count ? job.nodes[first + lane] : NONE;
        ends = __ballot_sync(0xffffffffu, own != __shfl_down_sync(0xffffffffu, own, 1)) & ((1u << count) - 1);
    }
};

// The maxima of a warp's 16 rows by node. A node's entries follow each other; only the warp's first and
// last node can have others elsewhere.
static __device__ __forceinline__ void reduce_rows(const float (&sums)[64], const float (&inverses)[2],
                                                   const Network &job, const Nodes &nodes, u32 slab,
                                                   const Finish *finish, float *stage) {
    const u32 lane = threadIdx.x % 32;
    // Pieces of eight columns are permuted by their row, so that lanes use different banks.
    auto place = [](u32 row, u32 column) { return row * STAGE_COLUMNS + (column ^ (row & 3) << 3); };
#pragma unroll
    for (u32 part = 0; part < COLUMNS / STAGE_COLUMNS; part++) {
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < STAGE_COLUMNS / 8; i++) {
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                const u32 at = 4 * (part * (STAGE_COLUMNS / 8) + i) + 2 * half;
                const float2 two = {sums[at] * inverses[half], sums[at + 1] * inverses[half]};
                *(float2 *)(stage + place(lane / 4 + 8 * half, 8 * i + lane % 4 * 2)) = two;
            }
        }
        __syncwarp();
        const u32 of_slab = part * STAGE_COLUMNS + 2 * lane, column = slab * COLUMNS + of_slab;
        const Finish last = finish[of_slab / 2];
        u32 row = 0;
#pragma unroll 1
        for (u32 ends = nodes.ends; ends; ends &= ends - 1) {
            const u32 end = __ffs(ends) - 1;
            float2 largest = {-INFINITE, -INFINITE};
            const bool is_first = row == 0;
#pragma unroll 1
            for (; row <= end; row += 4) {
#pragma unroll
                for (u32 k = 0; k < 4; k++) {
                    const float2 two = *(const float2 *)(stage + place(min(row + k, end), 2 * lane));
                    largest.x = fmaxf(largest.x, two.x), largest.y = fmaxf(largest.y, two.y);
                }
            }
            row = end + 1;
            const u32 node = __shfl_sync(0xffffffffu, nodes.own, end);
            float2 y = {largest.x * last.inverse.x + last.bias.x, largest.y * last.inverse.y + last.bias.y};
            if (job.last_relu) y.x = relu(y.x), y.y = relu(y.y);
            float *to = job.out + (size_t)node * job.columns + column;
            if (column >= job.columns) continue;
            if (is_first || row == nodes.count) {
                keep_largest(to, y.x);
                keep_largest(to + 1, y.y);
            } else {
                *(float2 *)to = y;
            }
        }
    }
}

// With TWO layers both are 128 x 128, and the first is activated.
template <bool TWO>
static __device__ __forceinline__ void network(const Network &job, unsigned char *all, Finish *finish) {
    const u32 weight = shared_start(all), second = weight + 4 * UNIT_BYTES;
    const u32 n_slabs = (job.columns + COLUMNS - 1) / COLUMNS;
    const u32 slab = blockIdx.x % n_slabs, number = blockIdx.x / n_slabs;
    const u32 n_blocks = (gridDim.x - slab + n_slabs - 1) / n_slabs;
    const u32 units = TWO ? 8 : 2 * ((job.width + 63) / 64);
    const u32 columns = min(job.columns - slab * COLUMNS, COLUMNS);
    bring_weight<false>(weight, 1, job.width, columns, job.layers[0].bias + slab * COLUMNS, finish, [&](u32) {
        const float *from = job.layers[0].weight + (size_t)slab * COLUMNS * job.width;
        return Part{nullptr, from, job.width, job.width};
    });
    Finish *last = finish + (TWO ? COLUMNS / 2 : 0);
    if (TWO) {
        bring_weight<true>(second, 1, COLUMNS, COLUMNS, job.layers[1].bias, last, [&](u32) {
            return Part{nullptr, job.layers[1].weight, COLUMNS, COLUMNS};
        });
    }
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    float *stage = (float *)(all + (weight - (u32)__cvta_generic_to_shared(all)) + units * UNIT_BYTES) +
                   threadIdx.x / 32 * STAGE_FLOATS;
    const u32 tiles = (job.entries + ROWS - 1) / ROWS;
#pragma unroll 1
    for (u32 tile = 2 * number + threadIdx.x / GROUP; tile < tiles; tile += 2 * n_blocks) {
        const u32 first = tile * ROWS + warp * 16;
        MessageRows rows(job, first + lane / 4);
        const Nodes nodes(job, first);
        float sums[64], scales[2];
        multiply_rows(sums, scales, rows, weight, job.width);
        float inverses[2] = {inverse(scales[0]), inverse(scales[1])};
        if (!TWO) {
            reduce_rows(sums, inverses, job, nodes, slab, last, stage);
            continue;
        }
        // Results are where tensor cores take rows from, so that the second layer reads nothing.
        float largest[2] = {};
#pragma unroll
        for (u32 i = 0; i < COLUMNS / 8; i++) {
            const Finish of_first = finish[i * 4 + lane % 4];
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                float *two = sums + 4 * i + 2 * half;
                two[0] = relu(two[0] * of_first.inverse.x * inverses[half] + of_first.bias.x);
                two[1] = relu(two[1] * of_first.inverse.y * inverses[half] + of_first.bias.y);
                largest[half] = fmaxf(largest[half], fmaxf(two[0], two[1]));
            }
        }
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
#pragma unroll
            for (u32 lanes = 1; lanes < 4; lanes *= 2) {
                largest[half] = fmaxf(largest[half], __shfl_xor_sync(0xffffffffu, largest[half], lanes));
            }
            scales[half] = scale_for(largest[half]);
            inverses[half] = inverse(scales[half]);
        }
        float results[64] = {}, of_slice[64];
#pragma unroll
        for (u32 slice = 0; slice < COLUMNS / SLICE; slice++) {
            Slice parts;
#pragma unroll
            for (u32 block = 0; block < SLICE / 16; block++) {
#pragma unroll
                for (u32 n = 0; n < 4; n++) {
                    const u32 at = slice * SLICE / 2 + block * 8 + 2 * n;
                    in_parts(sums[at] * scales[n % 2], sums[at + 1] * scales[n % 2], parts.high[block][n],
                             parts.low[block][n]);
                }
            }
            begin_products(of_slice, parts, slice_at(second, slice), 2 * UNIT_BYTES);
            end_products(results, of_slice);
        }
        reduce_rows(results, inverses, job, nodes, 0, last, stage);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) split_network(const __grid_constant__ Network job) {
    extern __shared__ __align__(1024) unsigned char all[];
    __shared__ __align__(16) Finish finish[COLUMNS / 2];
    network<false>(job, all, finish);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) split_network_of_two(const __grid_constant__ Network job) {
    extern __shared__ __align__(1024) unsigned char all[];
    __shared__ __align__(16) Finish finish[COLUMNS];
    network<true>(job, all, finish);
}

}  // namespace split
#endif
