// Atomics of several kinds, votes, matches, reductions, warp barriers, printf.
#include <cstdio>
extern "C" __global__ void atomics(unsigned* counters, float* sums, unsigned long long* wide, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counters[i & 7], 1u);
  atomicMax(&counters[8], i);
  atomicCAS(&counters[9], 0u, i);
  atomicExch(&wide[0], (unsigned long long)i);
  atomicAdd(&sums[i & 3], 1.5f);
  unsigned active = __activemask();
  unsigned same = __match_any_sync(active, i & 3);
  if (__any_sync(active, i == (unsigned)n)) counters[10] = __ballot_sync(active, i & 1) ^ same;
  __syncwarp();
  if (i == 0) printf("%d threads\n", n);
}
