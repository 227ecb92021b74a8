// Large products by tensor cores, as exact as in single precision.
//
// Tensor cores round their operands to 11 bits. Here every number is the sum of two such, x = high +
// low, and a product is low * high + high * low + high * high; what is left out is below a rounding
// of single precision. Their sums are cut off instead of rounded, so those of SLICE inner indices
// are taken there, and added up outside. That is more exact than sums in single precision from the
// first to the last, and takes half to three quarters of their time.
//
// Needs instructions of compute capability 9.0 alone (sm_90a). They take the upper 19 bits of a word,
// so a weight is its high part as it is. Its low part is computed by a kernel of its own, once and
// not in every block.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
namespace split {

struct SplitProduct {
    const float *input;   // [rows, width]
    const float *weight;  // [columns, width], weight_stride apart
    const float *low;     // its low parts, [columns, width]
    const float *addend;  // as out, or null
    const float *bias;    // [columns], or null
    float *out;           // [rows, columns], out_stride apart
    u32 rows, columns, width, weight_stride, out_stride, relu;
};

static __device__ __forceinline__ u32 rounded_to_11_bits(float x) {
    u32 bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

extern "C" __global__ void split_low(const float *weight, u32 stride, u32 columns, u32 width,
                                     float *low) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns * width) return;
    const float x = weight[(size_t)(i / width) * stride + i % width];
    const float high = __uint_as_float(__float_as_uint(x) & 0xffffe000u);
    low[i] = __uint_as_float(rounded_to_11_bits(x - high));
}

// A block has a tile of 64 x 128 and four warps with 16 rows each. It reads SLICE inner indices at a
// time, 128 bytes a row, in two stages. Pieces of 16 bytes are permuted by their row, as the tensor
// cores expect it of operands in shared memory.
constexpr u32 ROWS = 64, COLUMNS = 128, BLOCK = 128, SLICE = 32, STAGES = 2;
constexpr u32 ROW_BYTES = 4 * SLICE;
// Where a stage has the parts of the weight, after the input.
constexpr u32 HIGH = ROWS * ROW_BYTES, LOW = HIGH + COLUMNS * ROW_BYTES;
constexpr u32 STAGE_BYTES = LOW + COLUMNS * ROW_BYTES;

static __device__ __forceinline__ u32 place_of(u32 row, u32 piece) {
    return row * ROW_BYTES + ((piece ^ (row & 7)) << 4);
}

// Rows of a matrix from `first` on, inner indices from `inner` on; zeros after the last row.
template <u32 N_ROWS>
static __device__ __forceinline__ void copy_rows(u32 to, const float *from, u32 first, u32 end,
                                                 u32 stride, u32 inner) {
#pragma unroll
    for (u32 turn = 0; turn < N_ROWS * 8 / BLOCK; turn++) {
        const u32 i = turn * BLOCK + threadIdx.x, row = i / 8, piece = i % 8;
        const float *at = from + (size_t)min(first + row, end - 1) * stride + inner + 4 * piece;
        copy_ahead(to + place_of(row, piece), at, first + row >= end);
    }
}

// How the tensor cores find 128 rows of an operand: groups of eight rows follow each other.
static __device__ __forceinline__ u64 operand_at(u32 shared) {
    const u64 permuted = 1ull << 62, group = (8 * ROW_BYTES) >> 4;
    return permuted | group << 32 | 1ull << 16 | shared >> 4;
}

// sums (+)= a · bᵀ over eight inner indices, for 64 rows and 128 columns.
static __device__ __forceinline__ void multiply(float (&sums)[64], const u32 (&a)[4], u64 b, bool add) {
    asm volatile(
        "{ .reg .pred add; setp.ne.b32 add, %69, 0;"
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7,"
        "%8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23,"
        "%24, %25, %26, %27, %28, %29, %30, %31,"
        "%32, %33, %34, %35, %36, %37, %38, %39,"
        "%40, %41, %42, %43, %44, %45, %46, %47,"
        "%48, %49, %50, %51, %52, %53, %54, %55,"
        "%56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, add, 1, 1; }"
#define FOUR(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
#undef SIXTEEN
#undef FOUR
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add));
}

extern "C" __global__ void __launch_bounds__(BLOCK, 2)
    split_product(const __grid_constant__ SplitProduct job) {
    extern __shared__ __align__(1024) unsigned char stages[];
    const u32 start = ((u32)__cvta_generic_to_shared(stages) + 1023) & ~1023u;
    const u32 across = (job.columns + COLUMNS - 1) / COLUMNS;
    const u32 first_row = blockIdx.x / across * ROWS;
    const u32 first_column = blockIdx.x % across * COLUMNS;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_slices = job.width / SLICE;

    auto stage_of = [&](u32 slice) { return start + slice % STAGES * STAGE_BYTES; };
    auto copy = [&](u32 slice) {
        if (slice < n_slices) {
            const u32 to = stage_of(slice), inner = slice * SLICE;
            copy_rows<ROWS>(to, job.input, first_row, job.rows, job.width, inner);
            copy_rows<COLUMNS>(to + HIGH, job.weight, first_column, job.columns, job.weight_stride,
                               inner);
            copy_rows<COLUMNS>(to + LOW, job.low, first_column, job.columns, job.width, inner);
        }
        close_stage();
    };

    float sums[64] = {}, of_slice[64];
    copy(0);
    for (u32 slice = 0; slice < n_slices; slice++) {
        const u32 stage = stage_of(slice);
        wait_for_stage<0>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        // Everybody has also done with the stage that is copied to now.
        __syncthreads();
        copy(slice + 1);

        u32 high[SLICE / 8][4], rest[SLICE / 8][4];
        const u32 row = warp * 16 + lane % 16;
#pragma unroll
        for (u32 k = 0; k < SLICE / 8; k++) {
            u32 x[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                         : "r"(stage + place_of(row, 2 * k + lane / 16)));
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                high[k][i] = rounded_to_11_bits(__uint_as_float(x[i]));
                rest[k][i] =
                    rounded_to_11_bits(__uint_as_float(x[i]) - __uint_as_float(high[k][i]));
            }
        }

        const u64 weight_high = operand_at(stage + HIGH), weight_low = operand_at(stage + LOW);
        // Eight inner indices are two pieces of 16 bytes, in which addresses count.
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (u32 k = 0; k < SLICE / 8; k++) multiply(of_slice, rest[k], weight_high + 2 * k, k > 0);
#pragma unroll
        for (u32 k = 0; k < SLICE / 8; k++) multiply(of_slice, high[k], weight_low + 2 * k, true);
#pragma unroll
        for (u32 k = 0; k < SLICE / 8; k++) multiply(of_slice, high[k], weight_high + 2 * k, true);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (u32 i = 0; i < 64; i++) sums[i] += of_slice[i];
    }

    // A thread has two columns of every eight, in two rows.
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        const u32 row = first_row + warp * 16 + half * 8 + lane / 4;
        if (row >= job.rows) continue;
#pragma unroll
        for (u32 i = 0; i < COLUMNS / 8; i++) {
            const u32 column = first_column + i * 8 + lane % 4 * 2;
            if (column >= job.columns) continue;
            const size_t at = (size_t)row * job.out_stride + column;
            float2 y = {sums[4 * i + 2 * half], sums[4 * i + 2 * half + 1]};
            if (job.addend) {
                const float2 there = *(const float2 *)(job.addend + at);
                y.x += there.x, y.y += there.y;
            }
            if (job.bias) y.x += job.bias[column], y.y += job.bias[column + 1];
            if (job.relu) y.x = relu(y.x), y.y = relu(y.y);
            *(float2 *)(job.out + at) = y;
        }
    }
}

}  // namespace split
#endif
