// A local array with run-time indices, and more live values than the register limit leaves room for.
extern "C" __global__ void local_array(int* out, const int* in, int n) {
  int stack[64];
  for (int i = 0; i < 64; ++i) stack[i] = in[i];
  for (int i = 0; i < n; ++i) {
    int a = in[i] & 63, b = in[i + 1] & 63;
    int t = stack[a];
    stack[a] = stack[b];
    stack[b] = t + i;
  }
  for (int i = 0; i < 64; ++i) out[threadIdx.x * 64 + i] = stack[i];
}
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(float* out, const float* in) {
  float v[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) v[i] = in[threadIdx.x + i * 1024];
  for (int round = 0; round < 8; ++round) {
#pragma unroll
    for (int i = 0; i < 48; ++i) v[i] = v[i] * v[(i + 7) % 48] + v[(i + 13) % 48];
  }
#pragma unroll
  for (int i = 0; i < 48; ++i) out[threadIdx.x + i * 1024] = v[i];
}
