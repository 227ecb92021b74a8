// What all operators share: how one is described, how work is shared out, and reductions.
//
// An operator is a number of independent tiles. A block of THREADS threads computes a tile at a
// time, and every sum within a tile is taken in one order, so results depend neither on how many
// blocks there are nor on which of them computes what. Nothing is read through the read-only
// cache: operators of one launch read what earlier ones wrote.
//
// Most operators take a microsecond, a few hundred instructions of one thread after the other. So
// threads handle four values at a time where rows allow it, and divisions are multiplications.

typedef unsigned int u32;
typedef unsigned long long u64;

static const int THREADS = 256;
static const int WARPS = THREADS / 32;
static const u32 NONE = 0xffffffffu;
// Column-wise work: a tile is COLUMNS columns, and GROUPS threads share a column's rows.
static const u32 COLUMNS = 4;
static const u32 GROUPS = THREADS / COLUMNS;
#define INFINITE __uint_as_float(0x7f800000u)
#define NO_NUMBER __uint_as_float(0x7fffffffu)

// 256 bytes, as the host writes them (program.rs).
struct Op {
    u32 code;
    u32 tiles;
    u32 unused[2];
    u64 p[14];
    u32 s[32];
};

// The description of the operator that runs is in shared memory; the next one is on its way.
__shared__ __align__(16) Op described[2];

static __device__ __forceinline__ float* floats(const Op& op, int i) { return (float*)op.p[i]; }
static __device__ __forceinline__ u32* numbers(const Op& op, int i) { return (u32*)op.p[i]; }
static __device__ __forceinline__ float real(const Op& op, int i) { return __uint_as_float(op.s[i]); }

// i / columns, by what the host found for that divisor; i has 31 bits.
static __device__ __forceinline__ u32 divided(const Op& op, u32 i) {
    return (__umulhi(i, op.s[29]) + i) >> op.s[30];
}

// Where results go: added to what is there, or in its place.
static __device__ __forceinline__ void put(float* to, float value, bool add) {
    *to = add ? *to + value : value;
}

static __device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// One value, or four that follow each other.
template <int N>
struct Pack {
    float v[N];
};

template <int N>
static __device__ __forceinline__ Pack<N> load(const float* from) {
    Pack<N> pack;
    if (N == 4) {
        const float4 four = *(const float4*)from;
        pack.v[0] = four.x;
        pack.v[N / 4] = four.y;
        pack.v[N / 2] = four.z;
        pack.v[N - 1] = four.w;
    } else {
        pack.v[0] = *from;
    }
    return pack;
}

template <int N>
static __device__ __forceinline__ void store(float* to, const Pack<N>& pack) {
    if (N == 4) {
        *(float4*)to = make_float4(pack.v[0], pack.v[N / 4], pack.v[N / 2], pack.v[N - 1]);
    } else {
        *to = pack.v[0];
    }
}

template <int N>
static __device__ __forceinline__ Pack<N> filled(float value) {
    Pack<N> pack;
#pragma unroll
    for (int k = 0; k < N; k++) pack.v[k] = value;
    return pack;
}

template <int N>
static __device__ __forceinline__ Pack<N> plus(Pack<N> pack, const Pack<N>& other) {
#pragma unroll
    for (int k = 0; k < N; k++) pack.v[k] += other.v[k];
    return pack;
}

// What results are added to. Asked for before anything else, it is on its way with the rest.
template <int N>
static __device__ __forceinline__ Pack<N> old_of(const float* to, bool add) {
    return add ? load<N>(to) : filled<N>(0.0f);
}

// Calls `use(i)` for the first of every N values of a tile. A tile has s[31] values, or COLUMNS columns
// of the s[28] of a matrix.
template <int N, class Use>
static __device__ __forceinline__ void each_pack(const Op& op, u32 tile, u32 count, Use use) {
    const u32 span = op.s[31], columns = op.s[28];
    const u32 first = columns ? tile * COLUMNS + threadIdx.x * columns : tile * span + threadIdx.x * N;
    const u32 end = columns ? count : min(count, (tile + 1) * span), step = THREADS * (columns ? columns : N);
#pragma unroll 1
    for (u32 i = first; i < end; i += step) use(i);
}

// Runs FORM<4> where rows of COLUMNS values can be cut into fours, else FORM<1>.
#define BY_FOURS(FORM, COLUMNS, ...)        \
    if ((COLUMNS) % 4 == 0) {               \
        FORM<4, ##__VA_ARGS__>(op, tile);   \
    } else {                                \
        FORM<1, ##__VA_ARGS__>(op, tile);   \
    }

static __device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    return x;
}

static __device__ __forceinline__ float warp_max(float x) {
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, lanes));
    return x;
}

// The sum over a block, for all its threads.
static __device__ __forceinline__ float block_sum(float x, float* scratch) {
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < WARPS ? scratch[threadIdx.x % 32] : 0.0f);
}


// The sums over the groups of a column of N numbers, for all of them.
template <int N, class Number>
static __device__ __forceinline__ void sum_columns(Number (&x)[N], float* scratch) {
    // The groups of a warp first: those of a column are COLUMNS lanes apart.
#pragma unroll
    for (int lanes = COLUMNS; lanes < 32; lanes *= 2)
#pragma unroll
        for (int n = 0; n < N; n++) x[n] += __shfl_xor_sync(0xffffffffu, x[n], lanes);
    Number(*sums)[COLUMNS][N] = (Number(*)[COLUMNS][N])scratch;
    const u32 warp = threadIdx.x / 32, column = threadIdx.x % COLUMNS;
    __syncthreads();
    if (threadIdx.x % 32 < COLUMNS)
#pragma unroll
        for (int n = 0; n < N; n++) sums[warp][column][n] = x[n];
    __syncthreads();
#pragma unroll
    for (int n = 0; n < N; n++) {
        x[n] = 0;
#pragma unroll
        for (int other = 0; other < WARPS; other++) x[n] += sums[other][column][n];
    }
}

template <class Number>
static __device__ __forceinline__ Number column_sum(Number x, float* scratch) {
    Number sums[1] = {x};
    sum_columns(sums, scratch);
    return sums[0];
}

// Calls `use(place, row)` for the rows of a thread's column, without the first ones.
template <class Use>
static __device__ __forceinline__ void each_row(u32 rows, u32 stride, u32 c, Use use, u32 first = 0) {
    u32 r = first * GROUPS + threadIdx.x / COLUMNS;
#pragma unroll 1
    for (; r + 3 * GROUPS < rows; r += 4 * GROUPS) {
#pragma unroll
        for (int k = 0; k < 4; k++) use((r + k * GROUPS) * stride + c, r + k * GROUPS);
    }
#pragma unroll 1
    for (; r < rows; r += GROUPS) use(r * stride + c, r);
}

// As many rows of a thread's column are kept in registers where they are needed again: those of most
// batches of 8 graphs of 16 nodes.
static const u32 KEPT = 10;

// Calls `use(k, place)` for those of them that there are.
template <class Use>
static __device__ __forceinline__ void each_kept(u32 rows, u32 stride, u32 c, Use use) {
#pragma unroll
    for (u32 k = 0; k < KEPT; k++) {
        // The nodes of most batches are as few, and it takes time to look for more.
        if (k == 2 && rows <= 2 * GROUPS) break;
        const u32 r = k * GROUPS + threadIdx.x / COLUMNS;
        if (r < rows) use(k, r * stride + c);
    }
}
