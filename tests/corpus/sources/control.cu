// Switches that become jump tables, early exits, nested and irregular loops, short circuits.
extern "C" __global__ void control(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = data[i];
  switch (v & 15) {
    case 0: v += 3; break;
    case 1: v ^= 0x55; break;
    case 2: v *= 7; break;
    case 3: v -= 11; break;
    case 4: v = ~v; break;
    case 5: v <<= 2; break;
    case 6: v /= 3; break;
    case 7: v %= 17; break;
    case 8: v = -v; break;
    case 9: v |= 1; break;
    default: v = 0;
  }
  for (int j = 0; j < n; ++j) {
    for (int k = j; k > 0; k /= 2) {
      if ((v ^ k) == 42) goto done;
      if (k & 1 && v & 2 || k == v) continue;
      v += k;
    }
    if (v < 0) break;
  }
done:
  data[i] = v;
}
