// The threads of a GPU on a CPU. A block has a thread of the operating system, so blocks run and wait
// for each other as they do on a GPU; its own threads take turns on that one, each on a stack of its
// own, and change places only where they wait for each other. So a barrier that is missing shows: one
// thread is far ahead of the next.
//
// Whoever comes last to such a place does what all of them asked for. Threads that wait at different
// places at once, or for one that never comes, end the program with a message: on a GPU they would
// hang, or worse, go on.

#pragma once

#include <ucontext.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace emulator {

constexpr unsigned WARP = 32, GROUP = 128, MOST_THREADS = 256;
// Blocks of one multiprocessor.
constexpr unsigned BLOCKS_OF_ONE = 2;
// Not a power of two, so that stacks do not share places of a cache.
constexpr size_t STACK = (128 << 10) + 17 * 64;

[[noreturn]] inline void fail(const char* what) {
    fprintf(stderr, "emulated GPU: %s\n", what);
    abort();
}

// A place where threads wait for each other.
struct Meeting {
    const char* what = nullptr;
    unsigned arrived = 0;
    // Who waits, a bit for each thread.
    unsigned waiting[MOST_THREADS / WARP] = {};
    void* given[MOST_THREADS];
};

// A copy to shared memory that has begun.
struct Copy {
    char* to;
    const char* from;
    unsigned bytes;
    bool zeros;
};

// Where to go on.
typedef void* Place[5];

// One thread of a GPU.
struct Fiber {
    Place state;
    // Copies that nobody has waited for, and where stages of them end.
    std::vector<Copy> copies;
    std::vector<size_t> stages;
    size_t copied = 0, waited = 0;

    void forget_copies() {
        copies.clear();
        stages.clear();
        copied = waited = 0;
    }
};

// The block that a thread of the operating system runs.
struct Block {
    unsigned number = 0, grid = 0, n_threads = 0, multiprocessor = 0, running = 0, left = 0;
    const std::function<void()>* body = nullptr;
    // Of which random numbers say who is next, or 0 if threads run in their order.
    uint64_t order = 0;
    // Threads that need not wait, a bit for each.
    unsigned ready[MOST_THREADS / WARP] = {};
    // Where it waits for other blocks, and what it found there.
    const unsigned* looked_at = nullptr;
    unsigned found = 0;
    Meeting all[16], groups[MOST_THREADS / GROUP], warps[MOST_THREADS / WARP];
    Fiber fibers[MOST_THREADS];
    Place caller;
    std::unique_ptr<char[]> stacks{new char[MOST_THREADS * STACK]};

    Block();
    void run(const std::function<void()>& kernel, unsigned threads);

    // A thread that waits for other blocks while others of its own can go on, or -1.
    int behind = -1;

    bool is_anyone_ready() const {
        for (unsigned lanes : ready)
            if (lanes) return true;
        return false;
    }

    // Whoever is next: of the same warp if possible, because what they share is near; or anybody.
    void** next() {
        constexpr unsigned WARPS = MOST_THREADS / WARP;
        for (unsigned i = drawn(running / WARP, WARPS), n = 0; n < WARPS; n++, i = (i + 1) % WARPS) {
            if (!ready[i]) continue;
            const unsigned first = drawn(0, WARP), from_there = ready[i] >> first << first;
            const unsigned lane = __builtin_ctz(from_there ? from_there : ready[i]);
            ready[i] &= ~(1u << lane);
            running = i * WARP + lane;
            return fibers[running].state;
        }
        if (behind < 0) return caller;
        running = std::exchange(behind, -1);
        return fibers[running].state;
    }

    // In no order, a number below a power of two.
    unsigned drawn(unsigned in_order, unsigned count) {
        if (!order) return in_order;
        order = order * 6364136223846793005 + 1442695040888963407;
        return order >> 33 & (count - 1);
    }
};

inline thread_local Block* here = nullptr;

inline Fiber& own_fiber() { return here->fibers[here->running]; }

// A function that comes back from `__builtin_setjmp` twice must not call `__builtin_longjmp` itself.
[[noreturn]] __attribute__((noinline)) inline void go_on(void** at) { __builtin_longjmp(at, 1); }

// Lets others run until somebody says that this thread is ready.
__attribute__((noinline)) inline void yield(Block& block) {
    if (!__builtin_setjmp(block.fibers[block.running].state)) go_on(block.next());
}

// The same, until nobody else of the block can go on.
inline void yield_to_all(Block& block) {
    block.behind = block.running;
    yield(block);
}

inline void fiber_main() {
    Block& block = *here;
    while (true) {
        yield(block);
        (*block.body)();
        own_fiber().forget_copies();
        block.left--;
    }
}

// Brings every thread to its first `yield`.
inline Block::Block() {
    here = this;
    for (running = 0; running < MOST_THREADS; running++) {
        ucontext_t own, start;
        getcontext(&start);
        start.uc_stack.ss_sp = stacks.get() + running * STACK;
        start.uc_stack.ss_size = STACK;
        start.uc_link = nullptr;
        makecontext(&start, fiber_main, 0);
        if (!__builtin_setjmp(caller)) swapcontext(&own, &start);
    }
}

// Runs a kernel as one block.
__attribute__((noinline)) inline void Block::run(const std::function<void()>& kernel, unsigned threads) {
    body = &kernel;
    n_threads = left = threads;
    running = 0;
    for (unsigned i = 0; i < threads; i++) ready[i / WARP] |= 1u << i % WARP;
    if (!__builtin_setjmp(caller)) go_on(next());
    if (left) fail("threads wait for others that do not come");
}

// Waits until so many threads are at a meeting; the last one calls `act` with what each has given.
template <class Given, class Act>
void meet(Meeting& meeting, unsigned count, unsigned place, const char* what, Given& given, Act act) {
    Block& block = *here;
    if (meeting.arrived == 0) {
        meeting.what = what;
    } else if (meeting.what != what) {
        fprintf(stderr, "emulated GPU: %s and %s\n", meeting.what, what);
        fail("threads that should do one thing do two");
    }
    block.looked_at = nullptr;
    meeting.given[place] = &given;
    if (++meeting.arrived < count) {
        meeting.waiting[block.running / WARP] |= 1u << block.running % WARP;
        return yield(block);
    }
    act((Given**)meeting.given);
    meeting.arrived = 0;
    for (unsigned i = 0; i < MOST_THREADS / WARP; i++) {
        block.ready[i] |= meeting.waiting[i];
        meeting.waiting[i] = 0;
    }
}

// What all threads of a warp do at once.
template <class Given, class Act>
void as_warp(const char* what, Given& given, Act act) {
    meet(here->warps[here->running / WARP], WARP, here->running % WARP, what, given, act);
}

// And four warps that multiply.
template <class Given, class Act>
void as_group(const char* what, Given& given, Act act) {
    meet(here->groups[here->running / GROUP], GROUP, here->running % GROUP, what, given, act);
}

// Threads of the operating system, kept for the next launch.
class Workers {
    struct Worker {
        std::mutex mutex;
        std::condition_variable changed;
        std::function<void(Block&)> work;
    };
    std::mutex mutex;
    std::vector<Worker*> idle;

    Worker* take() {
        std::lock_guard lock(mutex);
        if (idle.empty()) {
            Worker* worker = new Worker;
            std::thread([worker] {
                Block block;
                while (true) {
                    std::unique_lock lock(worker->mutex);
                    worker->changed.wait(lock, [&] { return (bool)worker->work; });
                    const auto work = std::move(worker->work);
                    worker->work = nullptr;
                    lock.unlock();
                    work(block);
                }
            }).detach();
            return worker;
        }
        Worker* worker = idle.back();
        idle.pop_back();
        return worker;
    }

public:
    // Runs a block each on so many threads at once, and the rest of the grid as they get free. `begin`
    // and `end` are called before and after each block; `order` is where it takes random numbers from.
    void run(unsigned grid, unsigned threads, unsigned at_once, uint64_t order,
             const std::function<void()>& begin, const std::function<void()>& kernel,
             const std::function<void()>& end) {
        std::mutex done_mutex;
        std::condition_variable changed;
        unsigned next = 0, left = std::min(grid, at_once);
        for (unsigned n = left, i = 0; i < n; i++) {
            Worker* worker = take();
            std::lock_guard lock(worker->mutex);
            worker->work = [&, worker, i](Block& block) {
                while (true) {
                    {
                        std::lock_guard lock(done_mutex);
                        if (next == grid) break;
                        block.number = next++;
                    }
                    block.grid = grid;
                    block.multiprocessor = i / BLOCKS_OF_ONE;
                    block.order = order;
                    begin();
                    block.run(kernel, threads);
                    end();
                }
                {
                    std::lock_guard lock(mutex);
                    idle.push_back(worker);
                }
                std::lock_guard lock(done_mutex);
                if (--left == 0) changed.notify_all();
            };
            worker->changed.notify_all();
        }
        std::unique_lock lock(done_mutex);
        changed.wait(lock, [&] { return left == 0; });
    }
};

}  // namespace emulator
