/* One viscoplastic history in C: the limit that one call of hamex.solve is measured against.

The recurrence is that of hamex.march.oscillator, with the same grouping of sums, for a spring that does not harden;
the four histories u, p, s, F are stored in fresh memory, as a call must. `huge` asks the system for large pages, as
NumPy does for its arrays: 0 shows what that is worth.

rows: F_f F_s F_p F_u F_e  u_f u_s u_p u_u u_e  p_f p_s p_p p_u p_e  s_e, then the yield force. */

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

static double *fresh(size_t numbers, int huge)
{
    size_t bytes = numbers * sizeof(double);
    if (!huge || bytes < (1 << 22))
        return malloc(bytes);
    double *block = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (block)
        madvise(block, (bytes + PAGE - 1) / PAGE * PAGE, MADV_HUGEPAGE);
    return block;
}

/* One step from (ur, pr, sr) under the load f to node r + 1. */
#define STEP                                                                        \
    double Fr = (F_s * sr + F_p * pr) + (F_u * ur + F_f * f);                       \
    double after = (u_s * sr + u_p * pr) + (u_u * ur + (ur + u_f * f));             \
    pr = (p_s * sr + p_u * ur) + (p_p * pr + (pr + p_f * f));                       \
    ur = after;                                                                     \
    if (Fr > high || Fr < low) {                                                    \
        double excess = Fr > high ? Fr - high : Fr - low;                           \
        Fr -= F_e * excess;                                                         \
        ur += u_e * excess;                                                         \
        pr += p_e * excess;                                                         \
        sr += s_e * excess;                                                         \
    }                                                                               \
    u[r + 1] = ur;                                                                  \
    p[r + 1] = pr;                                                                  \
    s[r + 1] = sr;                                                                  \
    F[r] = Fr;

#define OPEN                                                                                                    \
    double *block = fresh(4 * n + 3, huge);                                                                     \
    if (!block)                                                                                                 \
        return 0;                                                                                               \
    double *restrict u = block, *restrict p = u + n + 1, *restrict s = p + n + 1, *restrict F = s + n + 1;      \
    const double F_f = rows[0], F_s = rows[1], F_p = rows[2], F_u = rows[3], F_e = rows[4];                     \
    const double u_f = rows[5], u_s = rows[6], u_p = rows[7], u_u = rows[8], u_e = rows[9];                     \
    const double p_f = rows[10], p_s = rows[11], p_p = rows[12], p_u = rows[13], p_e = rows[14];                \
    const double s_e = rows[15], high = rows[16], low = -high;                                                  \
    double ur = 0, pr = 0, sr = 0;                                                                              \
    u[0] = p[0] = s[0] = 0;

/* load: n + 1 values at the nodes; a step takes half the sum of its ends. Returns the block of histories. */
double *history(const double *restrict load, long n, const double *restrict rows, int huge)
{
    OPEN
    for (long r = 0; r < n; r++) {
        double f = 0.5 * (load[r] + load[r + 1]);
        STEP
    }
    return block;
}

/* The same, with ratio samples to a step, linear in between; `size` samples and the zero that follows them. */
double *history_record(const double *restrict samples, long size, double ratio, long n, const double *restrict rows,
                       int huge)
{
    OPEN
    double opening = samples[0], value = samples[0], slope = (size > 1 ? samples[1] : 0) - value, whole = 0;
    for (long r = 0; r < n; r++) {
        double place = (r + 1) * ratio;
        if (place + 1e-9 >= whole + 1) {
            long i = (long)(place + 1e-9);
            value = i < size ? samples[i] : 0;
            slope = (i + 1 < size ? samples[i + 1] : 0) - value;
            whole = i;
        }
        double inside = place - whole, closing = value + slope * (inside > 0 ? inside : 0);
        double f = 0.5 * (opening + closing);
        opening = closing;
        STEP
    }
    return block;
}

void release(double *block) { free(block); }
