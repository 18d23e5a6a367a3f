// Counts of bytes: one histogram for each block in shared memory, then atomics to global memory.
extern "C" __global__ void __launch_bounds__(256)
    histogram(unsigned words, const unsigned* __restrict__ in, unsigned* __restrict__ counts) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  unsigned stride = gridDim.x * 256u;
  for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < words; i += stride) {
    unsigned word = in[i];
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&local[(word >> shift) & 255u], 1u);
  }
  __syncthreads();
  if (local[threadIdx.x]) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
