// Hopper: a barrier in shared memory, a bulk copy, a cluster launch, registers given back.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1)
    cluster(const char* in, char* out, int bytes) {
  __shared__ alignas(128) char buffer[4096];
  __shared__ alignas(8) unsigned long long barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned d = (unsigned)__cvta_generic_to_shared(buffer);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 128) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(d),
          "l"(in), "r"(bytes), "r"(b)
          : "memory");
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile(
        "{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra WAIT; }" ::"r"(b)
        : "memory");
    for (int i = threadIdx.x; i < bytes; i += 128) out[i] = buffer[i];
  }
  asm volatile("barrier.cluster.arrive.release.aligned;");
  asm volatile("barrier.cluster.wait.acquire.aligned;");
}
