// What kernels are written in, as C++ for a CPU: the words of the language, what it brings along, and,
// in the place of kernels/instructions.cu, the instructions.

#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>

#include "threads.h"

using std::isfinite;
using std::isnan;

#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(BYTES) __attribute__((aligned(BYTES)))
#define __shared__ thread_local
// For compute capability 9.0, as the driver says.
#define __CUDA_ARCH_FEAT_SM90_ALL

struct Index {
    unsigned x;
};
#define threadIdx (Index{emulator::here->running})
#define blockIdx (Index{emulator::here->number})
#define gridDim (Index{emulator::here->grid})

struct float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct uint2 {
    unsigned x, y;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

template <class To, class From>
To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(to));
    return to;
}
inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
inline int __float_as_int(float x) { return same_bits<int>(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }

inline unsigned atomicAdd(unsigned* to, unsigned value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
template <class Number, class Better>
Number replaced_if(Number* to, Number value, Better better) {
    Number old = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (better(value, old) &&
           !__atomic_compare_exchange_n(to, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}
inline int atomicMax(int* to, int value) {
    return replaced_if(to, value, [](int a, int b) { return a > b; });
}
inline unsigned atomicMin(unsigned* to, unsigned value) {
    return replaced_if(to, value, [](unsigned a, unsigned b) { return a < b; });
}

// Places in shared memory have numbers of their own, of which tensor cores take 18 bits.
namespace split {
extern thread_local unsigned char all[];
}
inline size_t __cvta_generic_to_shared(const void* place) { return (const char*)place - (const char*)split::all; }
inline char* shared_at(unsigned number) { return (char*)split::all + (int)number; }

// Barriers.

inline void __syncthreads() {
    char nothing;
    emulator::Block& block = *emulator::here;
    emulator::meet(block.all[0], block.n_threads, block.running, "__syncthreads", nothing, [](char**) {});
}

inline void __syncwarp() {
    char nothing;
    emulator::as_warp("__syncwarp", nothing, [](char**) {});
}

// Values of other lanes.
template <class Number, class Lane>
Number from_lane(const char* what, Number value, Lane lane) {
    struct Given {
        Number value;
        unsigned lane;
        Number result;
    } given = {value, lane(emulator::here->running % emulator::WARP), value};
    emulator::as_warp(what, given, [](Given** all) {
        for (unsigned i = 0; i < emulator::WARP; i++) {
            if (all[i]->lane < emulator::WARP) all[i]->result = all[all[i]->lane]->value;
        }
    });
    return given.result;
}
template <class Number>
Number __shfl_xor_sync(unsigned, Number value, int lanes) {
    return from_lane("__shfl_xor_sync", value, [&](unsigned own) { return own ^ lanes; });
}
template <class Number>
Number __shfl_down_sync(unsigned, Number value, int lanes) {
    return from_lane("__shfl_down_sync", value, [&](unsigned own) { return own + lanes; });
}
template <class Number>
Number __shfl_sync(unsigned, Number value, int lane) {
    return from_lane("__shfl_sync", value, [&](unsigned) { return (unsigned)lane % emulator::WARP; });
}
inline unsigned __ballot_sync(unsigned, bool it) {
    struct Given {
        bool it;
        unsigned all;
    } given = {it, 0};
    emulator::as_warp("__ballot_sync", given, [](Given** lanes) {
        unsigned all = 0;
        for (unsigned i = 0; i < emulator::WARP; i++) all |= (unsigned)lanes[i]->it << i;
        for (unsigned i = 0; i < emulator::WARP; i++) lanes[i]->all = all;
    });
    return given.all;
}

// Instructions, as kernels/instructions.cu has them.

inline float relu(float x) { return x < 0.0f ? 0.0f : x; }
inline void not_before(float&) {}
inline unsigned own_multiprocessor() { return emulator::here->multiprocessor; }

// There are more blocks than processors, so one that looks again and finds nothing new sleeps until
// somebody counts, which other threads of its own may still have to do.
inline unsigned acquire(const unsigned* from) {
    emulator::Block& block = *emulator::here;
    if (block.looked_at == from) {
        if (block.is_anyone_ready()) {
            emulator::yield_to_all(block);
        } else {
            syscall(SYS_futex, from, FUTEX_WAIT_PRIVATE, block.found, nullptr, nullptr, 0);
        }
    }
    block.looked_at = from;
    return block.found = __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
inline void release_one(unsigned* to) {
    __atomic_fetch_add(to, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, to, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// Copies are made when they are waited for, as late as they may be.
inline void copy_ahead(unsigned to, const float* from, bool zeros = false) {
    emulator::own_fiber().copies.push_back({shared_at(to), (const char*)from, 16, zeros});
}
inline void copy_one_ahead(unsigned to, const float* from, bool zero) {
    emulator::own_fiber().copies.push_back({shared_at(to), (const char*)from, 4, zero});
}
inline void close_stage() {
    emulator::Fiber& own = emulator::own_fiber();
    own.stages.push_back(own.copies.size());
}
template <int AHEAD>
void wait_for_stage() {
    emulator::Fiber& own = emulator::own_fiber();
    while (own.stages.size() - own.waited > AHEAD) {
        for (const size_t end = own.stages[own.waited++]; own.copied < end; own.copied++) {
            const emulator::Copy& copy = own.copies[own.copied];
            if (copy.zeros) {
                memset(copy.to, 0, copy.bytes);
            } else {
                if ((uintptr_t)copy.from % copy.bytes) emulator::fail("a copy from where none can begin");
                memcpy(copy.to, copy.from, copy.bytes);
            }
        }
    }
    if (own.waited == own.stages.size() && own.copied == own.copies.size()) own.forget_copies();
}

// Sums of tensor cores are cut off.
inline float cut_off(double x) {
    const float near = (float)x;
    const float less = __uint_as_float(__float_as_uint(near) - 1);
    return fabs((double)near) > fabs(x) && fabsf(near) <= FLT_MAX ? less : near;
}

// sums += a · b of a tensor core; a [ROWS, INNER], b [INNER, COLUMNS].
template <unsigned ROWS, unsigned COLUMNS, unsigned INNER>
void multiply_matrices(float (&sums)[ROWS][COLUMNS], const float (&a)[ROWS][INNER], const float (&b)[INNER][COLUMNS]) {
    for (unsigned r = 0; r < ROWS; r++) {
        double row[COLUMNS];
        for (unsigned c = 0; c < COLUMNS; c++) row[c] = sums[r][c];
        for (unsigned k = 0; k < INNER; k++) {
            for (unsigned c = 0; c < COLUMNS; c++) row[c] += (double)a[r][k] * b[k][c];
        }
        for (unsigned c = 0; c < COLUMNS; c++) sums[r][c] = cut_off(row[c]);
    }
}

// Of words, tensor cores take the upper 19 bits.
inline void multiply(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    struct Given {
        float* sums;
        const unsigned *a, *b;
    } given = {sums, a, b};
    emulator::as_warp("multiply", given, [](Given** lanes) {
        float all[16][8], left[16][8], right[8][8];
        auto taken = [](unsigned word) { return __uint_as_float(word & 0xffffe000u); };
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned group = lane / 4, pair = lane % 4;
            for (unsigned n = 0; n < 4; n++) {
                all[group + n / 2 * 8][2 * pair + n % 2] = lanes[lane]->sums[n];
                left[group + n % 2 * 8][pair + n / 2 * 4] = taken(lanes[lane]->a[n]);
            }
            for (unsigned n = 0; n < 2; n++) right[pair + 4 * n][group] = taken(lanes[lane]->b[n]);
        }
        multiply_matrices(all, left, right);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned n = 0; n < 4; n++) {
                lanes[lane]->sums[n] = all[lane / 4 + n / 2 * 8][2 * (lane % 4) + n % 2];
            }
        }
    });
}

inline unsigned in_halves(float first, float second) {
    const unsigned low = same_bits<uint16_t>((_Float16)first), high = same_bits<uint16_t>((_Float16)second);
    return high << 16 | low;
}
inline float of_half(unsigned bits) { return same_bits<_Float16>((uint16_t)bits); }
inline float2 of_halves(unsigned two) { return {of_half(two), of_half(two >> 16)}; }

inline void store_shared(unsigned to, unsigned word) { memcpy(shared_at(to), &word, sizeof(word)); }
inline void show_to_tensor_cores() {}

template <unsigned COUNT>
bool any_of(unsigned barrier, bool it) {
    struct Given {
        bool it, any;
    } given = {it, false};
    emulator::Block& block = *emulator::here;
    emulator::meet(block.all[barrier], COUNT, block.running % COUNT, "any_of", given, [](Given** all) {
        bool any = false;
        for (unsigned i = 0; i < COUNT; i++) any |= all[i]->it;
        for (unsigned i = 0; i < COUNT; i++) all[i]->any = any;
    });
    return given.any;
}

inline void begin_group() {}
inline void end_group() {}
inline void wait_for_group(float (&)[64]) {
    char nothing;
    emulator::as_group("wait_for_group", nothing, [](char**) {});
}

// Where tensor cores find a half of a matrix in shared memory: groups of eight rows of 128 bytes, in
// which pieces of 16 bytes are permuted.
inline float matrix_at(uint64_t descriptor, unsigned row, unsigned column) {
    if (descriptor >> 62 != 1) emulator::fail("a matrix that is not permuted by 128 bytes");
    const unsigned start = (descriptor & 0x3fff) << 4, apart = (descriptor >> 32 & 0x3fff) << 4;
    const unsigned at = start + row / 8 * apart + row % 8 * 128 + column * 2;
    uint16_t bits;
    memcpy(&bits, shared_at(at ^ (at >> 7 & 7) << 4), sizeof(bits));
    return of_half(bits);
}

inline void multiply(float (&sums)[64], const unsigned (&a)[4], uint64_t b, bool add) {
    struct Given {
        float* sums;
        const unsigned* a;
        uint64_t b;
        bool add;
    } given = {sums, a, b, add};
    emulator::as_group("multiply", given, [](Given** threads) {
        float all[64][128], left[64][16], right[16][128];
        // What a thread has of results: call(number, row, column).
        auto each = [](unsigned thread, auto call) {
            for (unsigned n = 0; n < 64; n++) {
                const unsigned row = thread / 32 * 16 + thread % 32 / 4 + n / 2 % 2 * 8;
                call(n, row, n / 4 * 8 + thread % 4 * 2 + n % 2);
            }
        };
        for (unsigned thread = 0; thread < 128; thread++) {
            const Given& own = *threads[thread];
            if (own.b != threads[0]->b || own.add != threads[0]->add) emulator::fail("one product of two matrices");
            each(thread, [&](unsigned n, unsigned row, unsigned column) {
                all[row][column] = own.add ? own.sums[n] : 0.0f;
            });
            for (unsigned n = 0; n < 4; n++) {
                const unsigned row = thread / 32 * 16 + thread % 32 / 4 + n % 2 * 8, k = thread % 4 * 2 + n / 2 * 8;
                const float2 two = of_halves(own.a[n]);
                left[row][k] = two.x, left[row][k + 1] = two.y;
            }
        }
        for (unsigned k = 0; k < 16; k++) {
            for (unsigned column = 0; column < 128; column++) right[k][column] = matrix_at(threads[0]->b, column, k);
        }
        multiply_matrices(all, left, right);
        for (unsigned thread = 0; thread < 128; thread++) {
            each(thread, [&](unsigned n, unsigned row, unsigned column) {
                threads[thread]->sums[n] = all[row][column];
            });
        }
    });
}
