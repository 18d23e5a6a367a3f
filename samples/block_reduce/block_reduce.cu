// Sum of each block's elements: shuffles within a warp, shared memory between warps.
extern "C" __global__ void __launch_bounds__(256)
    block_reduce(unsigned n, const float* __restrict__ in, float* __restrict__ sums) {
  __shared__ float partial[8];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < 8; ++w) total += partial[w];
    sums[blockIdx.x] = total;
  }
}
