// Tensor cores, asynchronous copies and matrix loads through inline assembly.
__device__ __forceinline__ unsigned address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
extern "C" __global__ void tensor(const uint4* a, const uint4* b, float* c, int steps) {
  __shared__ uint4 tile[2][64];
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int k = 0; k < steps; ++k) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&tile[0][threadIdx.x])),
                 "l"(a + k * 32 + threadIdx.x));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&tile[1][threadIdx.x])),
                 "l"(b + k * 32 + threadIdx.x));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned x0, x1, x2, x3, y0, y1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3)
                 : "r"(address(&tile[0][threadIdx.x & 31])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y0), "=r"(y1)
                 : "r"(address(&tile[1][threadIdx.x & 15])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
    __syncthreads();
  }
  c[threadIdx.x * 4] = d0, c[threadIdx.x * 4 + 1] = d1;
  c[threadIdx.x * 4 + 2] = d2, c[threadIdx.x * 4 + 3] = d3;
}
