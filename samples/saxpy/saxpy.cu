// y = a * x + y, one element for each thread.
extern "C" __global__ void saxpy(unsigned n, float a, const float* __restrict__ x,
                                 float* __restrict__ y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
