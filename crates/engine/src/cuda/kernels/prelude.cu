// What all operators share: how one is described, and reductions within a block.
//
// An operator is a number of independent tiles. A block of THREADS threads computes a tile at a
// time, and every sum within a tile is taken in one order, so results depend neither on how many
// blocks there are nor on which of them computes what. Nothing is read through the read-only
// cache: operators of one launch read what earlier ones wrote.

typedef unsigned int u32;
typedef unsigned long long u64;

static const int THREADS = 512;
static const int WARPS = THREADS / 32;
static const u32 NONE = 0xffffffffu;
#define INFINITE __uint_as_float(0x7f800000u)
#define NO_NUMBER __uint_as_float(0x7fffffffu)

// 256 bytes, as the host writes them (program.rs).
struct Op {
    u32 code;
    u32 tiles;
    u32 first;    // the block that takes tile 0
    u32 barrier;  // whether all blocks must have finished what came before
    u64 p[14];
    u32 s[32];
};

static __device__ __forceinline__ float* floats(const Op& op, int i) { return (float*)op.p[i]; }
static __device__ __forceinline__ u32* numbers(const Op& op, int i) { return (u32*)op.p[i]; }
static __device__ __forceinline__ float real(const Op& op, int i) { return __uint_as_float(op.s[i]); }

// Where results go: added to what is there, or in its place.
static __device__ __forceinline__ void put(float* to, float value, bool add) {
    *to = add ? *to + value : value;
}

static __device__ __forceinline__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

static __device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// to[i] (+)= value(i) for the values of a tile, s[31] of them. Up to EACH values a thread are on
// their way before the first is stored. Indices have 32 bits: dividing longer ones is slow.
template <int EACH, class Value>
static __device__ __forceinline__ void put_values(const Op& op, u32 tile, u32 count, float* to, bool add, Value value) {
    const u32 end = min(count, (tile + 1) * op.s[31]);
    for (u32 first = tile * op.s[31] + threadIdx.x; first < end; first += EACH * THREADS) {
        float values[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const u32 i = first + k * THREADS;
            if (i < end) values[k] = (add ? to[i] : 0.0f) + value(i);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const u32 i = first + k * THREADS;
            if (i < end) to[i] = values[k];
        }
    }
}

// The same for work with results of another kind.
#define EACH_VALUE(i, count)                                                                  \
    for (u32 i = tile * op.s[31] + threadIdx.x, end_ = min((u32)(count), (tile + 1) * op.s[31]); \
         i < end_; i += THREADS)

static __device__ __forceinline__ float warp_sum(float x) {
    for (int lanes = 16; lanes; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    return x;
}

static __device__ __forceinline__ float warp_max(float x) {
    for (int lanes = 16; lanes; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, lanes));
    return x;
}

// The sum over a block, for all its threads.
static __device__ __forceinline__ float block_sum(float x, float* scratch) {
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < WARPS; i++) sum += scratch[i];
    return sum;
}

// Column-wise work: a tile is COLUMNS columns, and GROUPS threads share a column's rows.
static const int COLUMNS = 4;
static const int GROUPS = THREADS / COLUMNS;

// The sum over the groups of a column, for all of them.
template <class Number>
static __device__ __forceinline__ Number column_sum(Number x, float* scratch) {
    // The groups of a warp first: those of a column are COLUMNS lanes apart.
#pragma unroll
    for (int lanes = COLUMNS; lanes < 32; lanes *= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    Number* sums = (Number*)scratch;
    __syncthreads();
    if (threadIdx.x % 32 < COLUMNS) sums[threadIdx.x / 32 * COLUMNS + threadIdx.x % 32] = x;
    __syncthreads();
    Number sum = 0;
#pragma unroll
    for (int warp = 0; warp < WARPS; warp++) sum += sums[warp * COLUMNS + threadIdx.x % COLUMNS];
    return sum;
}

// Calls `use(place, row)` for the rows of a thread's column.
template <class Use>
static __device__ __forceinline__ void each_row(u32 rows, u32 columns, u32 c, Use use) {
    const u32 group = threadIdx.x / COLUMNS;
    u32 r = group;
    for (; r + 3 * GROUPS < rows; r += 4 * GROUPS) {
#pragma unroll
        for (int k = 0; k < 4; k++) use((u64)(r + k * GROUPS) * columns + c, r + k * GROUPS);
    }
    for (; r < rows; r += GROUPS) use((u64)r * columns + c, r);
}
