// A driver of a GPU that does nothing, so that what the host takes for a step can be measured and
// profiled on any machine. Losses mean nothing, and no program is ever still running, so programs
// are as short as they get.
//
//     mkdir -p target/host && cc -O2 -shared -fPIC -o target/host/libcuda.so benchmarks/host/driver.c
//     LD_LIBRARY_PATH=target/host:FOLDER_OF_NVRTC target/release/salsa bench train --device cuda
//
// Only what the engine calls is here (crates/engine/src/cuda).

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MULTIPROCESSORS = 16, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

// Handles and addresses are numbers that nobody looks behind.
static uint64_t next_handle = 4096;

static int make(void **handle) {
    next_handle += 16;
    *handle = (void *)next_handle;
    return 0;
}

int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) { return strncpy(name, "no GPU", length), 0; }

// An H200's.
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == MULTIPROCESSORS ? 132 : attribute == CAPABILITY_MAJOR ? 9 : 0;
    return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function, int threads,
                                                         size_t shared, unsigned flags) {
    return *blocks = 2, 0;
}

// There is one.
int cuCtxGetCurrent(void **context) { return *context = &next_handle, 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return cuCtxGetCurrent(context); }
int cuCtxGetStreamPriorityRange(int *least, int *greatest) { return *least = 0, *greatest = -5, 0; }
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) { return make(stream); }
int cuEventCreate(void **event, unsigned flags) { return make(event); }
int cuModuleLoadData(void **module, const void *image) { return make(module); }
int cuModuleGetFunction(void **function, void *module, const char *name) { return make(function); }

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    *address = next_handle += (bytes + 511) / 512 * 512;
    return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *memory ? 0 : 2;
}

// What comes back is finite.
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    for (size_t i = 0; i < bytes / 4; i++) ((float *)to)[i] = 0.5f;
    return 0;
}

#define NOTHING(NAME) \
    int NAME(void) { return 0; }
NOTHING(cuInit)
NOTHING(cuFuncSetAttribute)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuLaunchKernel)
NOTHING(cuMemcpyHtoDAsync_v2)
NOTHING(cuEventRecord)
NOTHING(cuEventQuery)
NOTHING(cuEventSynchronize)
NOTHING(cuStreamWaitEvent)
NOTHING(cuStreamSynchronize)
NOTHING(cuStreamDestroy_v2)
NOTHING(cuEventDestroy_v2)
NOTHING(cuModuleUnload)
NOTHING(cuMemFreeHost)
NOTHING(cuMemFree_v2)
NOTHING(cuDevicePrimaryCtxRelease_v2)
