// Layers on many rows by tensor cores, as exact as in single precision.
//
// Tensor cores take numbers of 11 bits. Here every number is the sum of two such, x = high + low, and a
// product is low * high + high * low + high * high; what is left out is below a rounding of single
// precision. Their sums are cut off instead of rounded, so those of SLICE inner indices are taken
// there, and added up outside.
//
// Half precision has few exponents, so numbers are scaled by powers of two: a weight's columns by their
// largest numbers, rows by one that suits most. A row that it does not suit is seen while it is read,
// and its tile is computed once more, with a scale of its own for each such row.
//
// A block keeps both parts of a weight's 128 columns in shared memory, and goes over rows with them: two
// groups of four warps have 64 rows each at a time, one multiplies while the other reads and splits.
// Rows come from memory straight to the registers that tensor cores take them from.
//
// Needs instructions of compute capability 9.0 alone (sm_90a).
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
namespace split {

constexpr u32 ROWS = 64, COLUMNS = 128, SLICE = 32;
constexpr u32 GROUP = 128, BLOCK = 2 * GROUP;
// 64 inner indices of one part of all columns: rows of 128 bytes, as tensor cores take them.
constexpr u32 UNIT_BYTES = COLUMNS * 128;
constexpr u32 MOST_PARTS = 4, MOST_SLABS = 8;
// A lane's share of 384 inner indices, four at a time.
constexpr u32 MOST_FOURS = 3;
// Rows whose largest number is between these have this scale.
constexpr float SCALE = 16.0f, LEAST = 1.0f / 64, MOST = 2048.0f;

// Columns of a weight, and what they are multiplied by: [rows, width] in the place of the input.
struct Part {
    const float *input, *weight;
    u32 width, weight_stride;
};

// 128 columns of a result, or fewer.
struct Slab {
    Part parts[MOST_PARTS];
    const float *bias, *addend;
    float *out;
    u32 n_parts, inner, columns, relu, first_block, out_stride;
};

// activation(sum of parts + bias + addend) for all slabs.
struct Layers {
    Slab slabs[MOST_SLABS];
    u32 n_slabs, rows;
};

// Two scaled numbers in parts.
static __device__ __forceinline__ void in_parts(float first, float second, u32 &high, u32 &low) {
    high = in_halves(first, second);
    const float2 upper = of_halves(high);
    low = in_halves(first - upper.x, second - upper.y);
}

// The power of two that takes numbers up to `largest` to 2^15 at most.
static __device__ __forceinline__ float scale_for(float largest) {
    const int exponent = 268 - (int)(__float_as_uint(largest) >> 23);
    return __uint_as_float((u32)min(max(exponent, 2), 252) << 23);
}

// 1 / a power of two.
static __device__ __forceinline__ float inverse(float scale) {
    return __uint_as_float((254u << 23) - __float_as_uint(scale));
}

// Where a warp's lane has four numbers of a row of a weight, in 64 inner indices of it: the lanes of
// a row read four that follow each other, which are two pairs eight apart to tensor cores.
static __device__ __forceinline__ u32 place_of(u32 column, u32 four, bool second) {
    const u32 piece = four / 4 * 2 + second;
    return column * 128 + ((piece ^ (column & 7)) << 4) + four % 4 * 4;
}

// What results of two columns that follow each other are multiplied by, and what is added then.
struct Finish {
    float2 inverse, bias;
};

// Copies 128 columns of a weight to shared memory, the high parts of all and then the low ones, each
// column scaled by its largest number. NATURAL: inner indices come in their order, as those of results
// do.
template <bool NATURAL, class PartOf>
static __device__ __forceinline__ void bring_weight(u32 to, u32 n_parts, u32 inner, u32 columns,
                                                    const float *bias, Finish *finish, PartOf part_of) {
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, WARPS_HERE = BLOCK / 32;
    const u32 low_at = (inner + 63) / 64 * UNIT_BYTES;
    // Where a lane's numbers of a column are.
    const float *from[MOST_FOURS] = {};
    u32 strides[MOST_FOURS] = {};
    u32 before = 0;
    for (u32 i = 0; i < n_parts; i++) {
        const Part part = part_of(i);
#pragma unroll
        for (u32 j = 0; j < MOST_FOURS; j++) {
            const u32 k = 4 * (lane + 32 * j);
            if (k >= before && k < before + part.width) {
                from[j] = part.weight + (k - before);
                strides[j] = part.weight_stride;
            }
        }
        before += part.width;
    }
    const u32 AT_ONCE = 4;
#pragma unroll 1
    for (u32 turn = 0; turn < COLUMNS / WARPS_HERE; turn += AT_ONCE) {
        Pack<4> x[AT_ONCE][MOST_FOURS];
#pragma unroll
        for (u32 n = 0; n < AT_ONCE; n++) {
            const u32 column = warp + (turn + n) * WARPS_HERE;
#pragma unroll
            for (u32 j = 0; j < MOST_FOURS; j++) {
                const bool there = from[j] && column < columns;
                x[n][j] = there ? load<4>(from[j] + (size_t)column * strides[j]) : filled<4>(0.0f);
            }
        }
#pragma unroll
        for (u32 n = 0; n < AT_ONCE; n++) {
            const u32 column = warp + (turn + n) * WARPS_HERE;
            float largest = 0.0f;
#pragma unroll
            for (u32 j = 0; j < MOST_FOURS; j++)
#pragma unroll
                for (u32 k = 0; k < 4; k++) largest = fmaxf(largest, fabsf(x[n][j].v[k]));
            const float scale = scale_for(warp_max(largest));
            if (lane == 0) {
                Finish *pair = finish + column / 2;
                (&pair->inverse.x)[column % 2] = inverse(scale);
                (&pair->bias.x)[column % 2] = bias && column < columns ? bias[column] : 0.0f;
            }
#pragma unroll
            for (u32 j = 0; j < MOST_FOURS; j++) {
                const u32 k = 4 * (lane + 32 * j), unit = to + k / 64 * UNIT_BYTES, four = k % 64 / 4;
                if (k >= inner) break;
#pragma unroll
                for (u32 m = 0; m < 2; m++) {
                    u32 high, low;
                    in_parts(x[n][j].v[2 * m] * scale, x[n][j].v[2 * m + 1] * scale, high, low);
                    const u32 natural =
                        column * 128 + ((four / 2 ^ (column & 7)) << 4) + four % 2 * 8 + m * 4;
                    const u32 at = unit + (NATURAL ? natural : place_of(column, four, m));
                    store_shared(at, high);
                    store_shared(at + low_at, low);
                }
            }
        }
    }
    show_to_tensor_cores();
    __syncthreads();
}

// How the tensor cores find 128 columns of a weight: groups of eight follow each other.
static __device__ __forceinline__ u64 operand_at(u32 shared) {
    const u64 permuted = 1ull << 62, group = 1024 >> 4;
    return permuted | group << 32 | 1ull << 16 | shared >> 4;
}

// A slice of a group's rows in parts, as tensor cores take them.
struct Slice {
    u32 high[SLICE / 16][4], low[SLICE / 16][4];
};

// Begins of_slice = slice · weightᵀ; the weight's parts of the slice are there and `apart` further.
static __device__ __forceinline__ void begin_products(float (&of_slice)[64], const Slice &slice, u32 weight,
                                                      u32 apart) {
    const u64 high = operand_at(weight), low = operand_at(weight + apart);
    // Sixteen inner indices are two pieces of 16 bytes, in which addresses count.
    begin_group();
#pragma unroll
    for (u32 k = 0; k < SLICE / 16; k++) multiply(of_slice, slice.low[k], high + 2 * k, k > 0);
#pragma unroll
    for (u32 k = 0; k < SLICE / 16; k++) multiply(of_slice, slice.high[k], low + 2 * k, true);
#pragma unroll
    for (u32 k = 0; k < SLICE / 16; k++) multiply(of_slice, slice.high[k], high + 2 * k, true);
    end_group();
}

static __device__ __forceinline__ void end_products(float (&sums)[64], float (&of_slice)[64]) {
    wait_for_group(of_slice);
#pragma unroll
    for (u32 i = 0; i < 64; i++) sums[i] += of_slice[i];
}

// Where a slice of a weight is.
static __device__ __forceinline__ u32 slice_at(u32 weight, u32 slice) {
    return weight + slice / 2 * UNIT_BYTES + slice % 2 * (UNIT_BYTES / COLUMNS / 2);
}

// sums = rows · weightᵀ, times both scales. A thread has rows lane / 4 and eight further of its warp's
// 16, and of every 16 inner indices four: rows.load() begins to read the next slice of them,
// rows.values(half, block) gives what came. Results have two columns of every eight.
template <class Rows>
static __device__ __forceinline__ void multiply_rows(float (&sums)[64], float (&scales)[2], Rows &rows,
                                                     u32 weight, u32 inner) {
    const u32 n_slices = inner / SLICE, apart = (inner + 63) / 64 * UNIT_BYTES;
    float largest[2];
    float of_slice[64];
    Slice slices[2];
    auto split = [&](Slice &to) {
#pragma unroll
        for (u32 block = 0; block < SLICE / 16; block++) {
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                const Pack<4> x = rows.values(half, block);
#pragma unroll
                for (u32 k = 0; k < 4; k++) largest[half] = fmaxf(largest[half], fabsf(x.v[k]));
                const float scale = scales[half];
#pragma unroll
                for (u32 n = 0; n < 2; n++) {
                    in_parts(x.v[2 * n] * scale, x.v[2 * n + 1] * scale, to.high[block][2 * n + half],
                             to.low[block][2 * n + half]);
                }
            }
        }
    };
    auto turn = [&](u32 slice, Slice &now, Slice &then) {
        begin_products(of_slice, now, slice_at(weight, slice), apart);
        if (slice + 1 < n_slices) {
            split(then);
            if (slice + 2 < n_slices) rows.load();
        }
        end_products(sums, of_slice);
    };
    scales[0] = scales[1] = SCALE;
#pragma unroll 1
    for (bool again = false;; again = true) {
        largest[0] = largest[1] = 0.0f;
#pragma unroll
        for (u32 i = 0; i < 64; i++) sums[i] = 0.0f;
        rows.begin();
        rows.load();
        split(slices[0]);
        if (n_slices > 1) rows.load();
#pragma unroll 1
        for (u32 slice = 0; slice < n_slices; slice += 2) {
            turn(slice, slices[0], slices[1]);
            if (slice + 1 < n_slices) turn(slice + 1, slices[1], slices[0]);
        }
        if (again) return;
        bool bad = false;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
#pragma unroll
            for (u32 lanes = 1; lanes < 4; lanes *= 2) {
                largest[half] = fmaxf(largest[half], __shfl_xor_sync(0xffffffffu, largest[half], lanes));
            }
            const float x = largest[half];
            if (x != 0.0f && !(x >= LEAST && x <= MOST)) {
                bad = true;
                scales[half] = scale_for(x);
            }
        }
        // For the whole group.
        if (!any_of<GROUP>(1 + threadIdx.x / GROUP, bad)) return;
    }
}

// Rows that are there, part after part.
struct GivenRows {
    const Slab &slab;
    u32 rows[2];
    u32 part = 0, left = 0;
    const float *from[2] = {};
    Pack<4> x[2][SLICE / 16];

    __device__ __forceinline__ GivenRows(const Slab &slab, u32 first, u32 count) : slab(slab) {
#pragma unroll
        for (u32 half = 0; half < 2; half++) rows[half] = min(first + 8 * half, count - 1);
    }

    __device__ __forceinline__ void begin() { part = left = 0; }

    __device__ __forceinline__ void load() {
        if (left == 0) {
            const Part &next = slab.parts[part++];
            left = next.width / SLICE;
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                from[half] = next.input + (size_t)rows[half] * next.width + threadIdx.x % 4 * 4;
            }
        }
        left--;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
#pragma unroll
            for (u32 block = 0; block < SLICE / 16; block++) x[half][block] = ::load<4>(from[half] + 16 * block);
            from[half] += SLICE;
        }
    }

    __device__ __forceinline__ Pack<4> values(u32 half, u32 block) const { return x[half][block]; }
};

static __device__ __forceinline__ u32 shared_start(unsigned char *all) {
    return ((u32)__cvta_generic_to_shared(all) + 1023) & ~1023u;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) split_layers(const __grid_constant__ Layers job) {
    extern __shared__ __align__(1024) unsigned char all[];
    __shared__ __align__(16) Finish finish[COLUMNS / 2];
    const u32 weight = shared_start(all);
    u32 number = 0;
    while (number + 1 < job.n_slabs && blockIdx.x >= job.slabs[number + 1].first_block) number++;
    const Slab &slab = job.slabs[number];
    const u32 end_block = number + 1 < job.n_slabs ? job.slabs[number + 1].first_block : gridDim.x;
    bring_weight<false>(weight, slab.n_parts, slab.inner, slab.columns, slab.bias, finish,
                        [&](u32 i) { return slab.parts[i]; });

    const u32 lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    const u32 step = 2 * (end_block - slab.first_block);
    const u32 tiles = (job.rows + ROWS - 1) / ROWS;
#pragma unroll 1
    for (u32 tile = 2 * (blockIdx.x - slab.first_block) + threadIdx.x / GROUP; tile < tiles; tile += step) {
        const u32 first = tile * ROWS + warp * 16 + lane / 4;
        GivenRows rows(slab, first, job.rows);
        float sums[64], scales[2];
        multiply_rows(sums, scales, rows, weight, slab.inner);
        const float inverses[2] = {inverse(scales[0]), inverse(scales[1])};
#pragma unroll
        for (u32 i = 0; i < COLUMNS / 8; i++) {
            const u32 column = i * 8 + lane % 4 * 2;
            if (column >= slab.columns) continue;
            const Finish last = finish[column / 2];
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                const u32 row = first + half * 8;
                if (row >= job.rows) continue;
                const size_t at = (size_t)row * slab.out_stride + column;
                const u32 from = 4 * i + 2 * half;
                float2 y = {sums[from] * last.inverse.x * inverses[half] + last.bias.x,
                            sums[from + 1] * last.inverse.y * inverses[half] + last.bias.y};
                if (slab.addend) {
                    const float2 there = *(const float2 *)(slab.addend + at);
                    y.x += there.x, y.y += there.y;
                }
                if (slab.relu) y.x = relu(y.x), y.y = relu(y.y);
                *(float2 *)(slab.out + at) = y;
            }
        }
    }
}

}  // namespace split
#endif
