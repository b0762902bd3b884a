/* The limit of an elastic spectrum with peaks at the samples: the exact recurrence across periods.

   u'' + 2 z w u' + w^2 u = -a with a linear between samples (Nigam and Jennings 1969). The velocity is eliminated,

       u[r+1] = A u[r] - B u[r-1] + k0 a[r+1] + k1 a[r] + k2 a[r-1],

   five products a step. Set-up is part of the work. */

#include <math.h>

enum { LANES = 4 };
typedef double V __attribute__((vector_size(LANES * sizeof(double))));
typedef double Anywhere __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

#define EACH(j) _Pragma("GCC unroll 16") for (int j = 0; j < N; j++)

static inline V load(const double *x) { return *(const Anywhere *)x; }
static inline void store(double *x, V value) { *(Anywhere *)x = value; }
static inline V all(double x) { return x - (V){0}; }
static inline V larger(V a, V b) {
  V r;
  for (int l = 0; l < LANES; l++) r[l] = a[l] > b[l] ? a[l] : b[l];
  return r;
}
static inline V size(V a) {
  V r;
  for (int l = 0; l < LANES; l++) r[l] = a[l] < 0 ? -a[l] : a[l];
  return r;
}

/* Six numbers of one period, `stride` apart: A, B, k0, k1, k2 and what a[0] does in the first step. */
static void coefficients(double w, double z, double h, long stride, double *out) {
  const double root = sqrt(1 - z * z), wd = w * root, decay = exp(-z * w * h), s = sin(wd * h), c = cos(wd * h);
  const double w2 = w * w, p = (2 * z * z - 1) / (w2 * h), q = 2 * z / (w2 * w * h);
  const double a11 = decay * (z / root * s + c), a12 = decay * s / wd, a21 = -w / root * decay * s;
  const double a22 = decay * (c - z / root * s), sink = wd * s + z * w * c;
  const double b11 = decay * ((p + z / w) * s / wd + (q + 1 / w2) * c) - q;
  const double b12 = -decay * (p * s / wd + q * c) - 1 / w2 + q;
  const double b21 = (p + z / w) * a22 - decay * (q + 1 / w2) * sink + 1 / (w2 * h);
  const double b22 = -p * a22 + decay * q * sink - 1 / (w2 * h);
  out[0] = a11 + a22;
  out[stride] = a11 * a22 - a12 * a21;
  out[2 * stride] = b12;
  out[3 * stride] = b11 + a12 * b22 - a22 * b12;
  out[4 * stride] = a12 * b21 - a22 * b11;
  out[5 * stride] = b11;
}

static inline __attribute__((always_inline)) void march(const int N, long samples, const double *a, const double *row,
                                                        long stride, double *peak) {
  V A[N], B[N], k0[N], k1[N], k2[N], u[N], before[N], top[N];
  EACH(j) {
    const double *at = row + j * LANES;
    A[j] = load(at), B[j] = load(at + stride);
    k0[j] = load(at + 2 * stride), k1[j] = load(at + 3 * stride), k2[j] = load(at + 4 * stride);
    before[j] = all(0);
    u[j] = load(at + 5 * stride) * a[0] + k0[j] * a[1];
    top[j] = size(u[j]);
  }
  for (long r = 2; r < samples; r++) {
    const V next = all(a[r]), now = all(a[r - 1]), last = all(a[r - 2]);
    EACH(j) {
      V at = k0[j] * next + k1[j] * now + k2[j] * last - B[j] * before[j] + A[j] * u[j];
      before[j] = u[j];
      u[j] = at;
      top[j] = larger(top[j], size(at));
    }
  }
  EACH(j) store(peak + j * LANES, top[j]);
}

#define SPECTRUM(N)                                                                                          \
  void spectrum_##N(long count, const double *periods, double damping, long samples, const double *a, double h, \
                    double *room, double *peak) {                                                            \
    for (long i = 0; i < count; i++) coefficients(6.283185307179586 / periods[i], damping, h, count, room + i); \
    const long group = N * LANES;                                                                            \
    for (long i = 0; i < count; i += group) {                                                                \
      if (i > count - group) i = count - group; /* the last group overlaps its neighbour */                  \
      march(N, samples, a, room + i, count, peak + i);                                                       \
    }                                                                                                        \
  }
SPECTRUM(2)
SPECTRUM(3)
SPECTRUM(4)
SPECTRUM(5)
SPECTRUM(6)
SPECTRUM(8)
