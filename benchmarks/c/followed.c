/* The limit of a batch of degrading oscillators: Ibarra, Medina and Krawinkler's law by the published rule, followed
   along straight paths, in the closed step of march/followed.py. One oscillator after the other, as an ordinary
   loop. Rows of parameters are those that model/laws/imk.py prepares, so that both programs are given the same. */

#include <math.h>

enum { SLIP, LAST, FORCE, WAY, RECOVERABLE, BRANCH, SIDE, ANCHOR, AT_ANCHOR, SLOPE, WORN, HELD, ENERGY, CROSSED, CHARGED,
       PINCH, AT_PINCH, FALLEN, TURN, AT_TURN, LEFT, LEFT_ANCHOR, LEFT_AT, LEFT_SLOPE, POSITIVE, NEGATIVE = 32,
       STATES = 40 };
enum { RISE_A, RISE_B, YIELD, CAP_C, CAP_G, PEAK, LOCAL, AT_LOCAL };
enum { NEW, UNLOADING, PINCHING, TO_LOCAL, TO_PEAK, BACKBONE, INSIDE, GONE };
enum { P_SIDE = 8, P_LAMBDA = 17, P_C = 21, P_D = 25, P_KAPPA = 27, P_RELOADING = 29 };

typedef struct { double force, slope, end; } Piece;

static Piece backbone(const double *s, const double *q, double x) {
  double a = s[0] - q[RISE_A], b = s[1] - q[RISE_B], c = s[2] - q[CAP_C], g = s[3] - q[CAP_G];
  double least = s[4], cap = INFINITY;
  if (b + g > 0 && c < INFINITY) {
    cap = (c - a) / (b + g);
    if (a + b * cap <= least) return (Piece){least, 0, INFINITY};
  } else if (c < a) {
    return (Piece){fmax(c, least), 0, INFINITY};
  }
  if (b > 0 && x < (least - a) / b) return (Piece){least, 0, (least - a) / b};
  if (x < cap) return (Piece){fmax(a + b * x, least), b, cap};
  if (g == 0) return (Piece){c, 0, INFINITY};
  if (x < (c - least) / g) return (Piece){c - g * x, -g, (c - least) / g};
  return (Piece){least, 0, INFINITY};
}

static double meets(const double *s, const double *q, double k, double zero) {
  double a = s[0] - q[RISE_A], b = s[1] - q[RISE_B], c = s[2] - q[CAP_C], g = s[3] - q[CAP_G];
  double least = s[4] / k + zero;
  double hard = k > b ? (a + k * zero) / (k - b) : a + b * least > s[4] ? INFINITY : -INFINITY;
  return fmax(least, fmin(hard, (c + k * zero) / (k + g)));
}

static double worn(double spent, double left, double power) {
  return spent <= 0 ? 0 : left <= 0 ? 2 : power == 1 ? spent / left : pow(spent / left, power);
}

static double unloading(const double *p, const double *z, double *charged) {
  double stiff = p[0] * (1 - z[HELD]), given = 0.5 * z[FORCE] * z[FORCE] / stiff;
  double spent = fmax(z[ENERGY] - z[CROSSED] - given, z[CHARGED]), left = p[P_LAMBDA + 3] - (z[ENERGY] - given);
  double beta = worn(spent, left, p[P_C + 3]);
  *charged = spent;
  if (p[P_C + 3] * given * (1 + beta) > left * ((1 - beta) * (1 - beta))) return 0;
  return beta >= 1 ? 0 : stiff * (1 - beta);
}

static void laid(double *z, int branch, double way, double x, double force, double end, double at_end) {
  z[BRANCH] = branch, z[ANCHOR] = way * end, z[AT_ANCHOR] = way * at_end;
  z[SLOPE] = end > x ? (at_end - force) / (end - x) : 0;
}

static void onwards(const double *p, double way, double x, double force, double target, double *z, double *q) {
  if (x < q[LOCAL] && q[LOCAL] < q[PEAK] && force < q[AT_LOCAL] && q[AT_LOCAL] < target) {
    double steep = (q[AT_LOCAL] - force) / (q[LOCAL] - x);
    if (steep <= p[0] * (1 - z[WORN]) && steep > (target - force) / (q[PEAK] - x)) {
      laid(z, TO_LOCAL, way, x, force, q[LOCAL], q[AT_LOCAL]);
      return;
    }
  }
  laid(z, TO_PEAK, way, x, force, q[PEAK], target);
}

static void aim(const double *p, double e, double way, double target, double *z, double *q) {
  double x = way * e, stiff = p[0] * (1 - z[WORN]);
  if (x >= q[PEAK] || target >= stiff * (q[PEAK] - x)) {
    z[BRANCH] = INSIDE, z[ANCHOR] = e, z[AT_ANCHOR] = 0, z[SLOPE] = stiff;
    return;
  }
  if (p[P_RELOADING] == 2) {
    double pinch = (1 - p[P_KAPPA + 1]) * (q[PEAK] - target / stiff);
    z[PINCH] = pinch, z[AT_PINCH] = p[P_KAPPA] * target * (pinch - x) / (q[PEAK] - x);
    if (x < pinch) {
      laid(z, PINCHING, way, x, 0, pinch, z[AT_PINCH]);
      return;
    }
  }
  onwards(p, way, x, 0, target, z, q);
}

static int crossed(const double *p, double e, double way, double *z) {
  const double *s = p + 1 + (way > 0 ? 0 : P_SIDE);
  double *q = z + (way > 0 ? POSITIVE : NEGATIVE);
  double spent = fmax(z[ENERGY] - z[CROSSED], 0), total = z[ENERGY], share = way > 0 ? p[P_D] : p[P_D + 1];
  double strength = worn(spent, p[P_LAMBDA] - total, p[P_C]), cap = worn(spent, p[P_LAMBDA + 1] - total, p[P_C + 1]);
  double further = worn(spent, p[P_LAMBDA + 2] - total, p[P_C + 2]);
  if (fmax(fmax(strength, cap), further) > 1) return 0;
  if (z[BRANCH] == UNLOADING && fabs(z[AT_TURN]) > 1e-6 * s[6]) {
    double *left = z + (way > 0 ? NEGATIVE : POSITIVE);
    left[LOCAL] = -way * z[TURN], left[AT_LOCAL] = -way * z[AT_TURN];
  }
  z[CROSSED] = total, z[CHARGED] = 0, z[HELD] = z[WORN], z[SIDE] = way;
  strength = 1 - strength * share, cap = 1 - cap * share;
  double fy = (s[6] - q[YIELD]) * strength, b = (s[1] - q[RISE_B]) * strength;
  q[YIELD] = s[6] - fy, q[RISE_B] = s[1] - b, q[RISE_A] = s[0] - (fy - b * (fy / p[0]));
  if (cap < 1 && s[2] < INFINITY) q[CAP_C] = s[2] - (s[2] - q[CAP_C]) * cap;
  if (p[P_RELOADING] == 0) {
    z[BRANCH] = INSIDE;
    return 1;
  }
  if (q[PEAK] == 0) q[PEAK] = q[LOCAL] = s[5], q[AT_LOCAL] = s[6];
  q[PEAK] *= 1 + further * share;
  double target = backbone(s, q, q[PEAK]).force;
  if (target <= 0) return 0;
  aim(p, e, way, target, z, q);
  return 1;
}

static Piece gone(double *z) {
  z[BRANCH] = GONE, z[FORCE] = 0, z[RECOVERABLE] = 0;
  return (Piece){0, 0, z[WAY] * INFINITY};
}

static int settled(const double *p, double *z) {
  double stiff = p[0] * (1 - z[WORN]), charged;
  if (z[BRANCH] != NEW && z[BRANCH] != UNLOADING && z[BRANCH] != INSIDE) stiff = unloading(p, z, &charged);
  z[RECOVERABLE] = stiff > 0 ? 0.5 * z[FORCE] * z[FORCE] / stiff : 0;
  return stiff > 0;
}

static int turned(const double *p, double e, double force, double *z) {
  double charged, stiff = unloading(p, z, &charged), *q = z + (z[SIDE] > 0 ? POSITIVE : NEGATIVE);
  if (stiff <= 0) return 0;
  z[TURN] = e, z[AT_TURN] = force, z[LEFT] = z[BRANCH];
  z[LEFT_ANCHOR] = z[ANCHOR], z[LEFT_AT] = z[AT_ANCHOR], z[LEFT_SLOPE] = z[SLOPE];
  q[PEAK] = fmax(q[PEAK], z[SIDE] * e);
  z[WORN] = 1 - stiff / p[0], z[CHARGED] = charged, z[BRANCH] = p[P_RELOADING] == 0 ? INSIDE : UNLOADING;
  z[ANCHOR] = e, z[AT_ANCHOR] = force, z[SLOPE] = stiff;
  return 1;
}

static double moved(const double *p, double e, double *z) {
  double force;
  if (z[BRANCH] == GONE) force = 0;
  else if (z[BRANCH] == NEW) force = p[0] * e;
  else if (z[BRANCH] == BACKBONE)
    force = z[SIDE] > 0 ? backbone(p + 1, z + POSITIVE, e).force : -backbone(p + 1 + P_SIDE, z + NEGATIVE, -e).force;
  else force = z[AT_ANCHOR] + z[SLOPE] * (e - z[ANCHOR]);
  z[ENERGY] += 0.5 * (force + z[FORCE]) * (e - z[LAST]);
  z[LAST] = e, z[FORCE] = force;
  return force;
}

static Piece ahead(const double *p, const double *s, double e, double way, double *z, double *q) {
  double x = way * e;
  if (z[BRANCH] == INSIDE) {
    double edge = meets(s, q, z[SLOPE], way * (z[ANCHOR] - z[AT_ANCHOR] / z[SLOPE]));
    if (edge > x) return (Piece){0, z[SLOPE], way * edge};
    z[BRANCH] = BACKBONE;
  }
  if (z[BRANCH] == UNLOADING) {
    if (way * z[TURN] > x) return (Piece){0, z[SLOPE], z[TURN]};
    z[BRANCH] = z[LEFT], z[ANCHOR] = z[LEFT_ANCHOR], z[AT_ANCHOR] = z[LEFT_AT], z[SLOPE] = z[LEFT_SLOPE];
  }
  if (z[BRANCH] == PINCHING) {
    if (z[PINCH] > x) return (Piece){0, z[SLOPE], way * z[PINCH]};
    onwards(p, way, z[PINCH], z[AT_PINCH], backbone(s, q, q[PEAK]).force, z, q);
  }
  if (z[BRANCH] == TO_LOCAL) {
    if (q[LOCAL] > x) return (Piece){0, z[SLOPE], way * q[LOCAL]};
    laid(z, TO_PEAK, way, q[LOCAL], q[AT_LOCAL], q[PEAK], backbone(s, q, q[PEAK]).force);
  }
  if (z[BRANCH] == TO_PEAK) {
    if (q[PEAK] > x) return (Piece){0, z[SLOPE], way * q[PEAK]};
    z[BRANCH] = BACKBONE;
  }
  Piece found = backbone(s, q, x);
  if (found.force <= s[4] && isinf(found.end)) z[FALLEN] = 1;
  found.end *= way;
  return found;
}

static Piece piece(const double *p, double e, double way, double *z) {
  double force = moved(p, e, z);
  if (way == 0) {
    if (z[BRANCH] != GONE && !settled(p, z)) gone(z);
    return (Piece){force, 0, e};
  }
  z[WAY] = way;
  const double *s = p + 1 + (way > 0 ? 0 : P_SIDE);
  double *q = z + (way > 0 ? POSITIVE : NEGATIVE);
  if (z[BRANCH] == GONE || way * e >= s[7]) return gone(z);
  if (z[BRANCH] == NEW && way * e < s[5]) {
    settled(p, z);
    return (Piece){force, p[0], way * fmin(s[5], s[7])};
  }
  if (z[BRANCH] == NEW) z[BRANCH] = BACKBONE, z[SIDE] = way;
  if (z[SIDE] != way) {
    int inside = z[BRANCH] == UNLOADING || z[BRANCH] == INSIDE;
    if (!inside && !turned(p, e, force, z)) return gone(z);
    double edge = z[ANCHOR] - z[AT_ANCHOR] / z[SLOPE];
    if (way * (edge - e) > 0) {
      settled(p, z);
      return (Piece){force, z[SLOPE], way * fmin(way * edge, s[7])};
    }
    if (!crossed(p, e, way, z)) return gone(z);
  }
  Piece found = ahead(p, s, e, way, z, q);
  if (found.slope == 0 && z[BRANCH] == BACKBONE && s[4] == 0 && isinf(found.end) && s[3] > 0) return gone(z);
  settled(p, z);
  return (Piece){force, found.slope, way * fmin(way * found.end, s[7])};
}

/* Largest displacements of the cases; row i of numbers is m, c, K and the force per unit of load, row which[i] of P the
   parameters of its spring. Springs that break are not among them. */
void followed(long cases, const double *numbers, long width, const double *P, const long *which, long steps,
              const double *load, double h, double *peak) {
  for (long i = 0; i < cases; i++) {
    const double *p = P + width * which[i];
    const double m = numbers[4 * i], c = numbers[4 * i + 1], K = numbers[4 * i + 2];
    double z[STATES] = {0}, u = 0, momentum = 0, most = 0, A = (2 * m / h + c) / h + 0.5 * K;
    for (long r = 0; r < steps; r++) {
      double R = 2 * momentum / h + numbers[4 * i + 3] * load[r] - K * u, d = 0, at = u, s = 0, W = 0;
      double way = z[FORCE] < R ? 1 : -1;
      int begins = z[FORCE] != R, walks = begins;
      while (walks) {
        Piece now = piece(p, at, way, z);
        if (begins && way * (R - now.force) < 0) {
          way = -way, begins = 0;
          continue;
        }
        double a = A + 0.5 * now.slope, b = way * (2 * A * s + now.force - R), rest = s * (A * s - R) + W;
        double root = sqrt(fmax(b * b - 4 * a * rest, 0));
        double y = way * fmax(b > 0 ? -2 * rest / (b + root) : (root - b) / (2 * a), 0);
        d = s + y;
        walks = way * (now.end - (u + d)) < 0;
        if (walks) {
          double t = now.end - u;
          W += (now.force + 0.5 * now.slope * (t - s)) * (t - s);
          at = now.end, s = t;
        }
      }
      u += d;
      piece(p, u, 0, z);
      z[SLIP] = u - z[FORCE] / p[0];
      momentum = 2 * m / h * d - momentum;
      most = fmax(most, fabs(u));
    }
    peak[i] = most;
  }
}
