// A driver whose GPU is the CPU, so that the kernels and the host's part of `--device cuda` run on any
// machine: for tests, not for speed.
//
//     crates/engine/emulator/build target/emulator
//     SALSA_TEST_CUDA=1 LD_LIBRARY_PATH=target/emulator cargo test -p salsa-engine
//     LD_LIBRARY_PATH=target/emulator salsa train --device cuda
//     SALSA_EMULATED_IDLE=1 LD_LIBRARY_PATH=target/emulator salsa bench train --device cuda
//
// Everything is done when it is asked for, in order; blocks of one launch run at once. Memory is NaN
// until something is written, that of the driver's as that which blocks share, and what a block writes
// behind its own is an error. `SALSA_EMULATED_*` below lets it be another GPU, one that fails, or one
// that does nothing, so that what the host takes for a step can be measured and profiled: losses mean
// nothing then, and no program is ever still running, so programs are as short as they get. Only what
// the engine calls is here (crates/engine/src/cuda).

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>

#include "language.h"

// As in crates/engine/src/cuda/compiler.rs, with this folder's instructions.
#include "../src/cuda/kernels/prelude.cu"
#include "../src/cuda/kernels/turns.cu"
#include "../src/cuda/kernels/product.cu"
#include "../src/cuda/kernels/layers.cu"
#include "../src/cuda/kernels/rows.cu"
#include "../src/cuda/kernels/deferred.cu"
#include "../src/cuda/kernels/graphs.cu"
#include "../src/cuda/kernels/columns.cu"
#include "../src/cuda/kernels/values.cu"
#include "../src/cuda/kernels/updates.cu"
#include "../src/cuda/kernels/program.cu"
#include "../src/cuda/kernels/light.cu"
#include "../src/cuda/kernels/split.cu"
#include "../src/cuda/kernels/network.cu"

// What a launch gives a block beside what it declares itself, and what nobody may write behind it.
constexpr size_t MOST_SHARED = 227 << 10, BEHIND = 1 << 10;
thread_local __align__(1024) float4 dynamic[(MOST_SHARED + BEHIND) / sizeof(float4)];
thread_local __align__(1024) unsigned char split::all[MOST_SHARED + BEHIND];

namespace {

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, LAUNCH_FAILED = 719 };
enum { MULTIPROCESSORS = 16, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

uint64_t setting(const char* name, uint64_t otherwise) {
    const char* text = getenv(name);
    return text ? strtoull(text, nullptr, 10) : otherwise;
}

// 80 for a GPU of compute capability 8.0.
const unsigned capability = setting("SALSA_EMULATED_CAPABILITY", 90);
// Bytes of memory.
const uint64_t memory = setting("SALSA_EMULATED_MEMORY", 16ull << 30);
// Whether nothing is done that is asked for.
const bool idle = setting("SALSA_EMULATED_IDLE", 0) != 0;
// Few, so that each has many tiles, or an H200's.
const unsigned multiprocessors = idle ? 132 : 4;
// Where random numbers begin that say which thread of a block goes on when one waits; 0 for their order.
const uint64_t order = setting("SALSA_EMULATED_ORDER", 0);
// How many launches it takes until the GPU is lost.
const uint64_t most_launches = setting("SALSA_EMULATED_LAUNCHES", UINT64_MAX);

std::atomic<uint64_t> launches{0}, handles{4096}, queries{0};
std::mutex mutex;
std::map<uint64_t, size_t> blocks_of_memory;
uint64_t held = 0;
emulator::Workers& workers = *new emulator::Workers;

bool lost() { return launches > most_launches; }
int unless_lost() { return lost() ? LAUNCH_FAILED : 0; }
int make(void** handle) { return *handle = (void*)(handles += 16), 0; }

// A kernel with its parameters.
template <class... Parameters>
std::function<void()> call(void* function, void** given) {
    size_t i = 0;
    std::tuple<Parameters...> parameters{*(Parameters*)given[i++]...};
    return [=] { std::apply((void (*)(Parameters...))function, parameters); };
}

std::function<void()> kernel_of(void* function, void** given) {
    if (function == (void*)run_program) return call<const Op*, const Turn*, const uint2*, Header*>(function, given);
    if (function == (void*)split::split_layers) return call<split::Layers>(function, given);
    if (function == (void*)split::split_network || function == (void*)split::split_network_of_two) {
        return call<split::Network>(function, given);
    }
    return call<Op>(function, given);
}

void poison(void* from, size_t bytes) { memset(from, 0xff, bytes); }

int launch(void* function, unsigned grid, unsigned threads, size_t shared, unsigned at_once, void** given) {
    if (shared > MOST_SHARED || threads % emulator::WARP || threads > emulator::MOST_THREADS) return INVALID_VALUE;
    if (idle) return 0;
    if (++launches, lost()) return LAUNCH_FAILED;
    auto begin = [=] {
        poison(dynamic, shared + BEHIND);
        poison(split::all, shared + BEHIND);
    };
    auto end = [=] {
        for (size_t i = shared; i < shared + BEHIND; i++) {
            if (((unsigned char*)dynamic)[i] != 0xff || split::all[i] != 0xff) {
                emulator::fail("a block writes behind the memory that its threads share");
            }
        }
    };
    workers.run(grid, threads, at_once, order, begin, kernel_of(function, given), end);
    return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int) { return strncpy(name, "emulated GPU", length), 0; }

int cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
        case MULTIPROCESSORS: *value = multiprocessors; break;
        case CAPABILITY_MAJOR: *value = capability / 10; break;
        case CAPABILITY_MINOR: *value = capability % 10; break;
        default: *value = 0;
    }
    return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void*, int, size_t, unsigned) {
    return *blocks = emulator::BLOCKS_OF_ONE, 0;
}

int cuGetErrorString(int code, const char** text) {
    *text = code == LAUNCH_FAILED ? "unspecified launch failure" : "error of the emulated GPU";
    return 0;
}

int cuCtxGetCurrent(void** context) { return *context = &handles, 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return cuCtxGetCurrent(context); }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSynchronize() { return unless_lost(); }
int cuCtxGetStreamPriorityRange(int* least, int* greatest) { return *least = 0, *greatest = -5, 0; }
int cuStreamCreateWithPriority(void** stream, unsigned, int) { return make(stream); }
int cuStreamSynchronize(void*) { return unless_lost(); }
int cuStreamWaitEvent(void*, void*, unsigned) { return 0; }
int cuStreamDestroy_v2(void*) { return 0; }
int cuEventCreate(void** event, unsigned) { return make(event); }
int cuEventRecord(void*, void*) { return unless_lost(); }
int cuEventSynchronize(void*) { return unless_lost(); }
int cuEventDestroy_v2(void*) { return 0; }
// Every second one is done, so that programs have many lengths.
int cuEventQuery(void*) { return queries++ % 2 && !idle ? NOT_READY : unless_lost(); }

int cuModuleLoadData(void** module, const void*) { return make(module); }
int cuModuleUnload(void*) { return 0; }
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) {
    Dl_info own;
    const bool alone = std::string(name).rfind("split_", 0) == 0;
    if ((alone && capability != 90) || !dladdr((void*)cuInit, &own)) return NOT_FOUND;
    void* library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    *function = dlsym(library, name);
    return *function ? 0 : NOT_FOUND;
}

int cuLaunchKernel(void* function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned shared, void*, void** given, void**) {
    return launch(function, grid, threads, shared, multiprocessors, given);
}

// All blocks run at once, or they would wait forever.
int cuLaunchCooperativeKernel(void* function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                              unsigned shared, void*, void** given) {
    return launch(function, grid, threads, shared, grid, given);
}

int cuMemGetInfo_v2(size_t* free, size_t* total) {
    std::lock_guard lock(mutex);
    return *free = memory - held, *total = memory, 0;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    std::lock_guard lock(mutex);
    if (bytes > memory - held) return OUT_OF_MEMORY;
    void* block = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!block) return OUT_OF_MEMORY;
    if (!idle) poison(block, bytes);
    *address = (uint64_t)block;
    blocks_of_memory[*address] = bytes;
    held += bytes;
    return 0;
}

int cuMemFree_v2(uint64_t address) {
    std::lock_guard lock(mutex);
    const auto block = blocks_of_memory.find(address);
    if (block == blocks_of_memory.end()) emulator::fail("memory is given back that is not there");
    held -= block->second;
    blocks_of_memory.erase(block);
    free((void*)address);
    return unless_lost();
}

int cuMemHostAlloc(void** block, size_t bytes, unsigned) {
    *block = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *block ? 0 : OUT_OF_MEMORY;
}
int cuMemFreeHost(void* block) { return free(block), 0; }

int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
    if (!idle) memcpy((void*)to, from, bytes);
    return unless_lost();
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) {
    if (!idle) memcpy(to, (void*)from, bytes);
    // What comes back is finite.
    if (idle) std::fill_n((float*)to, bytes / 4, 0.5f);
    return unless_lost();
}

// The compiler has nothing to do: this library is what it would make.
int nvrtcCreateProgram(void** program, const char*, const char*, int, const char**, const char**) {
    return make(program);
}
int nvrtcCompileProgram(void*, int, const char**) { return 0; }
int nvrtcGetCUBINSize(void*, size_t* size) { return *size = 1, 0; }
int nvrtcGetCUBIN(void*, char* code) { return *code = 0; }
int nvrtcDestroyProgram(void**) { return 0; }

}  // extern "C"
