// Softmax of each row; one block of 256 threads for a row.
__device__ float block_extreme(float value, float* shared, bool take_max) {
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, value, offset);
    value = take_max ? fmaxf(value, other) : value + other;
  }
  if ((threadIdx.x & 31u) == 0) shared[threadIdx.x >> 5] = value;
  __syncthreads();
  float result = shared[0];
  for (int w = 1; w < 8; ++w) result = take_max ? fmaxf(result, shared[w]) : result + shared[w];
  __syncthreads();
  return result;
}

extern "C" __global__ void __launch_bounds__(256)
    softmax(unsigned columns, const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float shared[8];
  const float* row = in + (size_t)blockIdx.x * columns;
  float* result = out + (size_t)blockIdx.x * columns;
  float largest = -3.402823466e+38f;
  for (unsigned i = threadIdx.x; i < columns; i += 256) largest = fmaxf(largest, row[i]);
  largest = block_extreme(largest, shared, true);
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < columns; i += 256) sum += expf(row[i] - largest);
  sum = block_extreme(sum, shared, false);
  for (unsigned i = threadIdx.x; i < columns; i += 256) result[i] = expf(row[i] - largest) / sum;
}
