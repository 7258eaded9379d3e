// Control flow that only the machine code tells: loops left by a CALL (nested on sm_80), and a switch in a loop (BRX).
extern "C" __global__ void nested(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < m; j++) {
            float product = in[j];
            for (int k = 0; k < j; k++) {
                product *= in[k] + 1;
                if (product < 0) product = sqrtf(product);
            }
            sum += product;
        }
        out[i] = sum;
        __syncthreads();
    }
}

extern "C" __global__ void dispatch(int *out, const int *in, int n) {
    int r = threadIdx.x;
    for (int i = 0; i < n; i++) {
        switch (in[i]) {
            case 0: r = r * 3 + i; break;
            case 1: r = r / (i + 1); break;
            case 2: r = r % 7; atomicAdd(out, 1); break;
            case 3: r = __popc(r) + in[r]; break;
            case 4: r = __clz(r); break;
            case 5: r = __brev(r); break;
            case 6: r = atomicExch(out + 1, r); break;
            case 7: r = r * r + i; break;
            case 8: return;
            default: r = -1 - in[r];
        }
        __syncthreads();
    }
    out[threadIdx.x] = r;
}
