// Dynamic shared memory, textures, constant memory, vector loads, 64-bit index arithmetic.
__constant__ float WEIGHTS[32];
extern __shared__ float4 staging[];
extern "C" __global__ void dynamic(const float4* in, float4* out, cudaTextureObject_t image,
                                   size_t pitch, int rows) {
  size_t row = blockIdx.y;
  for (size_t x = threadIdx.x; x < pitch; x += blockDim.x) {
    float4 v = in[row * pitch + x];
    float t = tex2D<float>(image, (float)x, (float)row);
    v.x += t * WEIGHTS[x & 31];
    v.w -= t / (float)rows;
    staging[threadIdx.x] = v;
    __syncthreads();
    out[row * pitch + x] = staging[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}
