/* Reads one launch per line, asks cuda_occupancy.h, and prints its answer.

   in:  major minor threads/SM shared/SM default optin reserved | registers threads static dynamic
        dynamic_limit optin(0|1) barriers virtual carveout
   out: status active warps registers shared blocks barriers virtual regs/block bytes/block flags */
#include <stdio.h>

#include "cuda_occupancy.h"

int main(void) {
    int major, minor, per_sm, registers, threads, opted, barriers, virtuals, carveout;
    long shared_sm, shared_default, shared_optin, reserved, fixed, dynamic, limit;
    while (scanf("%d %d %d %ld %ld %ld %ld %d %d %ld %ld %ld %d %d %d %d", &major, &minor, &per_sm,
                 &shared_sm, &shared_default, &shared_optin, &reserved, &registers, &threads, &fixed,
                 &dynamic, &limit, &opted, &barriers, &virtuals, &carveout) == 16) {
        cudaOccDeviceProp device = {0};
        cudaOccFuncAttributes kernel = {0};
        cudaOccDeviceState state = {0};
        cudaOccResult result = {0};
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = per_sm;
        device.regsPerBlock = 65536;
        device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = shared_default;
        device.sharedMemPerMultiprocessor = shared_sm;
        device.numSms = 1;
        device.sharedMemPerBlockOptin = shared_optin;
        device.reservedSharedMemPerBlock = reserved;
        kernel.maxThreadsPerBlock = INT_MAX;
        kernel.numRegs = registers;
        kernel.sharedSizeBytes = fixed;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
        kernel.shmemLimitConfig = opted ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
        kernel.maxDynamicSharedSizeBytes = limit;
        kernel.numBlockBarriers = barriers;
        kernel.virtualResourceCount = virtuals;
        state.carveoutConfig = carveout;
        int status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                             threads, dynamic);
        printf("%d %d %d %d %d %d %d %d %d %zu %u\n", status,
               result.activeBlocksPerMultiprocessor, result.blockLimitWarps, result.blockLimitRegs,
               result.blockLimitSharedMem, result.blockLimitBlocks, result.blockLimitBarriers,
               result.blockLimitVirtual, result.allocatedRegistersPerBlock,
               result.allocatedSharedMemPerBlock, result.limitingFactors);
    }
    return 0;
}
