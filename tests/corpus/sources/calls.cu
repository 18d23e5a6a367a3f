// Device functions that stay functions: calls, recursion, a table of functions.
__device__ __noinline__ float polynomial(float x, int degree) {
  float sum = 0.0f;
  for (int i = degree; i >= 0; --i) sum = sum * x + (float)(i + 1);
  return sum;
}
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ __noinline__ float half_of(float x) { return x * 0.5f; }
__device__ __noinline__ float square_of(float x) { return x * x; }
typedef float (*function)(float);
__device__ function TABLE[2] = {half_of, square_of};
extern "C" __global__ void calls(float* data, unsigned* counts, int degree) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = TABLE[i & 1](polynomial(data[i], degree));
  counts[i] = ackermann(i & 1, i & 3);
}
