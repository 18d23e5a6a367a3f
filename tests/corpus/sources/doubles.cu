// Double precision: division, square root, transcendental functions, conversions.
extern "C" __global__ void doubles(double* out, const double* in, const float* single, long long* whole) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[i];
  out[i] = sqrt(x) / (1.0 + exp(-x)) + sin(x) * log(fabs(x) + 1.0) + (double)single[i];
  whole[i] = llrint(x) % 1000 + (long long)(x / 3.0);
}
