// What all operators share: how one is described, and reductions within a block.
//
// An operator is a number of independent tiles. A block of THREADS threads computes a tile at a
// time, and every sum within a tile is taken in one order, so results depend neither on how many
// blocks there are nor on which of them computes what. Nothing is read through the read-only
// cache: operators of one launch read what earlier ones wrote.

typedef unsigned int u32;
typedef unsigned long long u64;

static const int THREADS = 256;
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

// The values of a tile: s[31] of them, by index `i`.
#define EACH_VALUE(i, count)                                                                  \
    for (u64 i = (u64)tile * op.s[31] + threadIdx.x,                                          \
             end_ = min((u64)(count), (u64)(tile + 1) * op.s[31]);                            \
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
static const int COLUMNS = 8;
static const int GROUPS = THREADS / COLUMNS;

// The sum over the groups of a column, for all of them.
static __device__ __forceinline__ float column_sum(float x, float* scratch) {
    __syncthreads();
    scratch[threadIdx.x] = x;
    __syncthreads();
    float sum = 0.0f;
    for (int group = 0; group < GROUPS; group++) {
        sum += scratch[group * COLUMNS + threadIdx.x % COLUMNS];
    }
    return sum;
}
