// Whose turn it is. In a program every block has a list of turns, each one tile of one operator, in
// the order of phases. What a phase reads was written in earlier ones, perhaps by other blocks: the
// first turn of a block in a phase waits until blocks have finished earlier phases often enough, and
// after the last one the block counts itself as finished, in `arrived`, which counts up from 0 over a
// launch. Blocks that have no part in a phase go past it.
struct Turn {
    u32 tile;   // operator << 22 | tile
    u32 after;  // how often blocks must have finished a phase before, if it is the block's first of one
};

// Turns are copied to shared memory so many at a time, and as many are on their way.
static const u32 TURNS = 32;
// The interpreter's state is in shared memory: registers would be saved in local memory around
// every operator, which waiting throws out of the first-level cache.
__shared__ __align__(16) Turn turns_here[2 * TURNS];
__shared__ u32 current, n_turns, first_turn;
__shared__ u32* arrived;

static __device__ __forceinline__ const Turn& turn(u32 number) { return turns_here[number % (2 * TURNS)]; }

// Not the thread that counts its block as finished, which first waits for all that the block wrote.
static const u32 POLLER = 32;

// Waits until what this turn's tile reads is there. Every operator calls it once, before it reads
// anything but its description: what it does before costs nothing where it has to wait anyway.
static __device__ __forceinline__ void wait_for_inputs() {
    if (threadIdx.x == POLLER) {
        const u32 after = turn(current).after;
        if (after) {
            u32 now;
            do {
                now = acquire(arrived);
            } while (now < after);
        }
    }
    __syncthreads();
    // Everybody has read it.
    if (threadIdx.x == 0) current++;
}

// The operator in a slot, when what it reads is there.
static __device__ __forceinline__ const Op& awaited(u32 slot) {
    wait_for_inputs();
    return described[slot];
}
