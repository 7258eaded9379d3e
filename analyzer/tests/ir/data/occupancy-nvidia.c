/* Writes occupancy-nvidia.tsv: cc -I <CUDA include folder> occupancy-nvidia.c && ./a.out > occupancy-nvidia.tsv.
   Columns: target, registers per thread, warps per block, shared bytes per block, blocks per SM. */
#include <stddef.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include <cuda_occupancy.h>
struct T { const char*n; int maj,min,threads; size_t smsm, optin, res; } ts[]={
{"sm_75",7,5,1024,65536,65536,0},{"sm_80",8,0,2048,167936,166912,1024},{"sm_86",8,6,1536,102400,101376,1024},{"sm_87",8,7,1536,167936,166912,1024},
{"sm_89",8,9,1536,102400,101376,1024},{"sm_90a",9,0,2048,233472,232448,1024},{"sm_100a",10,0,2048,233472,232448,1024},{"sm_103a",10,3,2048,233472,232448,1024},{"sm_110a",11,0,1536,233472,232448,1024},
{"sm_120a",12,0,1536,102400,101376,1024},{"sm_121a",12,1,1536,102400,101376,1024}};
int main(){int regs[]={16,24,32,40,50,64,72,96,98,126,128,168,200,255};int warps[]={1,2,3,4,8,16,32};size_t sm[]={0,1024,16384,49152,65536,81920,98304,101376,131072,163840,166912,232448,232449};
for(int t=0;t<11;t++)for(int r=0;r<14;r++)for(int w=0;w<7;w++)for(int s=0;s<13;s++){
 struct cudaOccDeviceProp p; memset(&p,0,sizeof p); p.computeMajor=ts[t].maj;p.computeMinor=ts[t].min;p.maxThreadsPerBlock=1024;p.maxThreadsPerMultiprocessor=ts[t].threads;p.regsPerBlock=65536;p.regsPerMultiprocessor=65536;p.warpSize=32;p.sharedMemPerBlock=49152;p.sharedMemPerMultiprocessor=ts[t].smsm;p.numSms=100;p.sharedMemPerBlockOptin=ts[t].optin;p.reservedSharedMemPerBlock=ts[t].res;
 struct cudaOccFuncAttributes a; memset(&a,0,sizeof a); a.maxThreadsPerBlock=1024;a.numRegs=regs[r];a.shmemLimitConfig=FUNC_SHMEM_LIMIT_OPTIN;a.maxDynamicSharedSizeBytes=ts[t].optin;
 struct cudaOccDeviceState d; memset(&d,0,sizeof d); d.carveoutConfig=SHAREDMEM_CARVEOUT_MAX_SHARED; 
 struct cudaOccResult o; memset(&o,0,sizeof o);
 int e=cudaOccMaxActiveBlocksPerMultiprocessor(&o,&p,&a,&d,warps[w]*32,sm[s]);
 printf("%s\t%d\t%d\t%zu\t%d\n",ts[t].n,regs[r],warps[w],sm[s],e?-(e):o.activeBlocksPerMultiprocessor);
}}
