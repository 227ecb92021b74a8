// Instructions that C++ has no name for, each as a function that does nothing else. Another file in
// this one's place lets the kernels run on a CPU (crates/engine/emulator).

// The larger of x and 0; keeps what is no number.
static __device__ __forceinline__ float relu(float x) {
    float y;
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
    return y;
}

// Keeps what is computed from a value behind this place.
static __device__ __forceinline__ void not_before(float& x) { asm volatile("" : "+f"(x)); }

static __device__ __forceinline__ u32 own_multiprocessor() {
    u32 number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

// What others have counted, with all that they wrote before.
static __device__ __forceinline__ u32 acquire(const u32* from) {
    u32 now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(from) : "memory");
    return now;
}

// Counts one more, for others to see with all that was written before.
static __device__ __forceinline__ void release_one(u32* to) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
}

// Begins to copy four values to shared memory, or zeros.
static __device__ __forceinline__ void copy_ahead(u32 to, const float* from, bool zeros = false) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(to),
        "l"(from), "r"((u32)zeros));
}

static __device__ __forceinline__ void copy_one_ahead(u32 to, const float* from, bool zero) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::"r"(to),
        "l"(from), "r"((u32)zero));
}

// What a thread has begun to copy since the last time is a stage.
static __device__ __forceinline__ void close_stage() { asm volatile("cp.async.commit_group;"); }

// Waits for all stages but the newest.
template <int AHEAD>
static __device__ __forceinline__ void wait_for_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD));
}

// sums += a · b for 16 rows, 8 columns and 8 inner indices, by a warp.
static __device__ __forceinline__ void multiply(float (&sums)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Those of compute capability 9.0 alone.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// Two numbers in half precision, the first in the lower half.
static __device__ __forceinline__ u32 in_halves(float first, float second) {
    u32 two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
    return two;
}

static __device__ __forceinline__ float2 of_halves(u32 two) {
    float2 both;
    asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(both.x), "=f"(both.y)
        : "r"(two));
    return both;
}

static __device__ __forceinline__ void store_shared(u32 to, u32 word) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

// What a thread wrote to shared memory is there for `multiply`.
static __device__ __forceinline__ void show_to_tensor_cores() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Whether it is true for any of so many threads that share a barrier.
template <u32 COUNT>
static __device__ __forceinline__ bool any_of(u32 barrier, bool it) {
    u32 any;
    asm volatile(
        "{ .reg .pred it, any; setp.ne.u32 it, %1, 0; barrier.cta.red.or.pred any, %2, %3, it;"
        "selp.u32 %0, 1, 0, any; }"
        : "=r"(any)
        : "r"((u32)it), "r"(barrier), "n"(COUNT)
        : "memory");
    return any;
}

// Around products of four warps: between `begin_group` and `end_group` they are asked for, and after
// `wait_for_group` they are there.
static __device__ __forceinline__ void begin_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void end_group() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void wait_for_group(float (&sums)[64]) {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (u32 i = 0; i < 64; i++) asm volatile("" : "+f"(sums[i])::"memory");
}

// sums (+)= a · bᵀ over 16 inner indices, for 64 rows and 128 columns.
static __device__ __forceinline__ void multiply(float (&sums)[64], const u32 (&a)[4], u64 b, bool add) {
    asm volatile(
        "{ .reg .pred add; setp.ne.b32 add, %69, 0;"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7,"
        "%8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23,"
        "%24, %25, %26, %27, %28, %29, %30, %31,"
        "%32, %33, %34, %35, %36, %37, %38, %39,"
        "%40, %41, %42, %43, %44, %45, %46, %47,"
        "%48, %49, %50, %51, %52, %53, %54, %55,"
        "%56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, add, 1, 1, 0; }"
#define FOUR(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
#undef SIXTEEN
#undef FOUR
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add));
}

#endif
