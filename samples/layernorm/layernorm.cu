// (x - mean) / sqrt(variance + epsilon) * weight + bias for each row; one warp for a row.
extern "C" __global__ void __launch_bounds__(128)
    layernorm(unsigned rows, unsigned columns, float epsilon, const float* __restrict__ in,
              const float* __restrict__ weight, const float* __restrict__ bias,
              float* __restrict__ out) {
  unsigned row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31u;
  if (row >= rows) return;
  const float* x = in + (size_t)row * columns;
  float* y = out + (size_t)row * columns;
  float sum = 0.0f;
  for (unsigned i = lane; i < columns; i += 32) sum += x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  float mean = sum / (float)columns, squares = 0.0f;
  for (unsigned i = lane; i < columns; i += 32) squares += (x[i] - mean) * (x[i] - mean);
  for (int offset = 16; offset > 0; offset /= 2)
    squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  float scale = 1.0f / sqrtf(squares / (float)columns + epsilon);
  for (unsigned i = lane; i < columns; i += 32) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}
