// C = A * B for square row-major matrices; a 16 x 16 tile of each in shared memory.
#define TILE 16
extern "C" __global__ void __launch_bounds__(256)
    sgemm(unsigned n, const float* __restrict__ a, const float* __restrict__ b,
          float* __restrict__ c) {
  __shared__ float left[TILE][TILE];
  __shared__ float right[TILE][TILE];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (unsigned k = 0; k < n; k += TILE) {
    left[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0.0f;
    right[ty][tx] = k + ty < n && column < n ? b[(k + ty) * n + column] : 0.0f;
    __syncthreads();
    for (unsigned j = 0; j < TILE; ++j) sum += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
