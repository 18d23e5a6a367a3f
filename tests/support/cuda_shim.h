// Enough of CUDA C++ to run a kernel's source on a CPU: blocks one after another, the threads of a
// block as fibers that switch at barriers and shuffles. Compiled into a shared library by the tests.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>
#include <ucontext.h>

struct dim3 { unsigned x = 1, y = 1, z = 1; };
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __constant__ static const
#define __launch_bounds__(...)

namespace shim {
constexpr size_t kStack = 128 * 1024;
enum class State { Ready, Barrier, Done };
struct Fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStack);
  State state = State::Ready;
};
inline ucontext_t scheduler;
inline std::vector<Fiber> fibers;
inline std::vector<uint32_t> slots;
inline std::function<void()> body;
inline unsigned current;
inline dim3 thread, block, block_size, grid_size;

inline void leave(State state) {
  fibers[current].state = state;
  swapcontext(&fibers[current].context, &scheduler);
}
inline void entry() {
  body();
  fibers[current].state = State::Done;
}
inline void run_block() {
  unsigned count = block_size.x * block_size.y * block_size.z;
  for (unsigned i = 0; i < count; ++i) {
    Fiber& fiber = fibers[i];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler;
    fiber.state = State::Ready;
    makecontext(&fiber.context, entry, 0);
  }
  for (bool ran = true; ran;) {
    ran = false;
    for (unsigned i = 0; i < count; ++i) {
      if (fibers[i].state != State::Ready) continue;
      current = i;
      thread = {i % block_size.x, i / block_size.x % block_size.y,
                i / (block_size.x * block_size.y)};
      swapcontext(&scheduler, &fibers[i].context);
      ran = true;
    }
    if (!ran)  // all that live wait at the barrier: let them go
      for (unsigned i = 0; i < count; ++i)
        if (fibers[i].state == State::Barrier) fibers[i].state = State::Ready, ran = true;
  }
}
template <class... A, size_t... I>
void launch(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  unsigned count = block_size.x * block_size.y * block_size.z;
  fibers = std::vector<Fiber>(count);
  slots.assign(count, 0);
  body = [=] { kernel(*static_cast<A*>(arguments[I])...); };
  for (block.z = 0; block.z < grid_size.z; ++block.z)
    for (block.y = 0; block.y < grid_size.y; ++block.y)
      for (block.x = 0; block.x < grid_size.x; ++block.x) run_block();
}
template <class... A>
void launch(void (*kernel)(A...), void** arguments) {
  launch(kernel, arguments, std::index_sequence_for<A...>{});
}
template <class T>
T exchange(T value, unsigned from) {
  static_assert(sizeof(T) == 4, "the shim shuffles 32-bit values");
  unsigned me = current;
  std::memcpy(&slots[me], &value, 4);
  leave(State::Ready);  // every lane has written
  T result;
  std::memcpy(&result, &slots[(me & ~31u) | (from & 31u)], 4);
  leave(State::Ready);  // every lane has read
  return result;
}
}  // namespace shim

#define threadIdx shim::thread
#define blockIdx shim::block
#define blockDim shim::block_size
#define gridDim shim::grid_size

inline void __syncthreads() { shim::leave(shim::State::Barrier); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) { return shim::exchange(value, shim::current ^ mask); }
template <class T>
T atomicAdd(T* address, T value) { T old = *address; *address += value; return old; }
