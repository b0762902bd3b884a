/* The limit of a batch: viscoplastic oscillators under one record, across the lanes of the machine.

   The linear time element of march/oscillator.py without hardening. With M = 2m/h + c, A = 1/k + h/(2M) and
   P = 2p/M, one step under the load f is

       Pf = P + (h/M) f,  Fe = (u - s + Pf/2)/A,  e = Fe - clip(Fe, Fy),  F = Fe - e (h/2)/(A eta + h/2),
       s += e h A/(A eta + h/2),  d = Pf - (h/M) F,  u += d,  P = (4m/(hM)) d - P.

   Two liberties that only a batch may take, since it returns peaks and not states: displacements are carried over
   A Fy and forces over Fy, so that clipping needs no number of its own, and Pf is carried in place of P, which takes
   a quarter off the chain from step to step (16 cycles in place of 20 with latencies 4, 3 and 1).

   march(): VECTORS vectors in flight, state in registers (spilled to the stack where there are too few).
   batch_plain(): the same problem as an ordinary loop over arrays, left to the compiler. */

#ifndef REAL
#define REAL double
#endif
#ifndef BYTES
#define BYTES 32 /* of a vector */
#endif
enum { LANES = BYTES / sizeof(REAL), BLOCK = 64 };

typedef REAL V __attribute__((vector_size(BYTES)));
typedef REAL Anywhere __attribute__((vector_size(BYTES), aligned(sizeof(REAL))));

#define EACH(j) _Pragma("GCC unroll 16") for (int j = 0; j < N; j++)

static inline V load(const REAL *x) { return *(const Anywhere *)x; }
static inline void store(REAL *x, V value) { *(Anywhere *)x = value; }
static inline V all(REAL x) { return x - (V){0}; }

/* Minimum and maximum lane by lane: with the flags of limits.py one instruction each. */
static inline V least(V a, V b) {
  V r;
  for (int l = 0; l < LANES; l++) r[l] = a[l] < b[l] ? a[l] : b[l];
  return r;
}
static inline V most(V a, V b) {
  V r;
  for (int l = 0; l < LANES; l++) r[l] = a[l] > b[l] ? a[l] : b[l];
  return r;
}
static inline V size(V a) {
  V r;
  for (int l = 0; l < LANES; l++) r[l] = a[l] < 0 ? -a[l] : a[l];
  return r;
}

typedef struct {
  long count;     /* oscillators, at least one group of vectors */
  long steps;
  REAL step;
  const REAL *load;      /* of every step, per unit mass; one zero more than steps */
  const REAL *pairs;     /* load[r] + load[r + 1] */
  const REAL *mass, *damping, *stiffness, *yield_force, *viscosity, *scale;
  REAL *peak, *slip;     /* largest |u| at the nodes, last slip */
} Batch;

static inline __attribute__((always_inline)) void march(const int N, const Batch *x) {
  const REAL h = x->step;
  const V one = all(1), minus = all(-1);
  const long group = (long)N * LANES, steps = x->steps;
  for (long i = 0; i < x->count; i += group) {
    if (i > x->count - group) i = x->count - group; /* the last group overlaps its neighbour */
    V drive[N], swing[N], turn[N], give[N], creep[N], unit[N], u[N], w[N], P[N], top[N]; /* w = u - s */
    EACH(j) {
      const long at = i + j * LANES;
      V m = load(x->mass + at), limit = load(x->yield_force + at);
      V M = 2 * m / h + load(x->damping + at), A = 1 / load(x->stiffness + at) + h / (2 * M);
      V slack = A * load(x->viscosity + at) + h / 2;
      unit[j] = A * limit;
      drive[j] = h / M * load(x->scale + at) * m / (2 * unit[j]);
      swing[j] = h / (M * A);
      turn[j] = 2 * m / (h * M);
      give[j] = swing[j] * (h / 2) / slack;
      creep[j] = give[j] - h / slack;
      u[j] = w[j] = top[j] = all(0);
      P[j] = drive[j] * x->load[0];
    }
    for (long r = 0; r < steps; r++) {
      const V f = all(x->pairs[r]);
      EACH(j) {
        V Fe = w[j] + P[j];
        V e = Fe - most(least(Fe, one), minus);
        V free = P[j] + P[j] - swing[j] * Fe; /* of an elastic step */
        V d = free + give[j] * e;
        w[j] = w[j] + free + creep[j] * e;
        P[j] = drive[j] * f - P[j] + turn[j] * d;
        u[j] += d;
        top[j] = most(top[j], size(u[j]));
      }
    }
    EACH(j) {
      store(x->peak + i + j * LANES, top[j] * unit[j]);
      store(x->slip + i + j * LANES, (u[j] - w[j]) * unit[j]);
    }
  }
}

void batch_2(const Batch *x) { march(2, x); }
void batch_3(const Batch *x) { march(3, x); }
void batch_4(const Batch *x) { march(4, x); }
void batch_5(const Batch *x) { march(5, x); }
void batch_6(const Batch *x) { march(6, x); }
void batch_8(const Batch *x) { march(8, x); }

void batch_plain(const Batch *x) {
  const REAL h = x->step;
  for (long i = 0; i < x->count; i += BLOCK) {
    const int n = x->count - i < BLOCK ? (int)(x->count - i) : BLOCK;
    REAL drive[BLOCK], swing[BLOCK], turn[BLOCK], inverse[BLOCK], give[BLOCK], creep[BLOCK], limit[BLOCK];
    REAL u[BLOCK], s[BLOCK], P[BLOCK], top[BLOCK];
    for (int j = 0; j < n; j++) {
      const REAL m = x->mass[i + j], M = 2 * m / h + x->damping[i + j], A = 1 / x->stiffness[i + j] + h / (2 * M);
      const REAL slack = A * x->viscosity[i + j] + h / 2;
      drive[j] = h / M * x->scale[i + j] * m;
      swing[j] = h / M;
      turn[j] = 4 * m / (h * M);
      inverse[j] = 1 / A;
      give[j] = h / 2 / slack;
      creep[j] = h * A / slack;
      limit[j] = x->yield_force[i + j];
      u[j] = s[j] = P[j] = top[j] = 0;
    }
    for (long r = 0; r < x->steps; r++) {
      const REAL load = x->load[r];
      for (int j = 0; j < n; j++) {
        const REAL Pf = P[j] + drive[j] * load, Fe = (u[j] - s[j] + Pf / 2) * inverse[j];
        const REAL low = Fe < limit[j] ? Fe : limit[j], e = Fe - (low > -limit[j] ? low : -limit[j]);
        const REAL d = Pf - swing[j] * (Fe - give[j] * e), at = u[j] + d, size = at < 0 ? -at : at;
        s[j] += creep[j] * e;
        u[j] = at;
        P[j] = turn[j] * d - P[j];
        top[j] = top[j] > size ? top[j] : size;
      }
    }
    for (int j = 0; j < n; j++) x->peak[i + j] = top[j], x->slip[i + j] = s[j];
  }
}
