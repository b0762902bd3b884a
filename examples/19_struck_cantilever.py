"""19. A struck cantilever, as a body, against the beams of Euler and Timoshenko.

Mathematics. ρ ü = div σ, σ = D ε(u) in plane stress, eqs. (34) to (44): no beam is assumed. A beam of Timoshenko has
k⁴ = ω²ρA/(EI) corrected by shear and rotary inertia; with b = ω²ρ/E and s = E/(κG), its frequencies are the zeros of
the clamped-free determinant. Euler's beam leaves both out and is too stiff, by 1 % in mode 1 and 5 % in mode 2.
"""

import numpy as np
from scipy.optimize import brentq

import hamex as hx

E, nu, rho, L, H = 210e6, 0.3, 7.85, 1.0, 0.1  # kN/m², t/m³, m
steel = hx.Material(density=rho, modulus=E, poisson=nu)
mesh = hx.meshes.rectangle(L, H, (20, 2))
beam = hx.solid(mesh, steel, fixed=["left"], plane="stress", degree=2, units=hx.Units("m", "kN"))

# A short blow at the tip, and the spectrum of what follows.
blow = hx.half_sine(1.0, duration=1e-3)
load = hx.Load(blow.forces, patterns=beam.body.traction("right", (0.0, -1e3)), breaks=blow.breaks)
sol = hx.solve(hx.Problem(beam, load, duration=0.12), hx.Galerkin(step=1e-4, degree=2))
tip = sol.probe((L, H / 2)).sel(component="y").values[:, 0]
window = np.hanning(len(tip))
padded = 64 * len(tip)
f = np.fft.rfftfreq(padded, sol.step)
heard = np.abs(np.fft.rfft(tip * window, padded))


def timoshenko(omega):
    """Determinant of the clamped-free beam, κ = 10(1 + ν)/(12 + 11ν)."""
    r2, s = H**2 / 12, 2 * (1 + nu) * (12 + 11 * nu) / (10 * (1 + nu))
    b = omega**2 * rho / E
    root = np.sqrt((b * (s - 1) / 2) ** 2 + b / r2)
    p, q = np.sqrt(root - b * (1 + s) / 2), np.sqrt(root + b * (1 + s) / 2)
    P, Q = (p * p + b * s) / p, (q * q - b * s) / q  # rotation over deflection of the two parts
    ch, sh, co, si = np.cosh(p * L), np.sinh(p * L), np.cos(q * L), np.sin(q * L)
    # Deflections ch − co and sh − P/Q si are at rest at the wall; moment and shear vanish at the tip.
    rows = np.array(
        [
            [P * p * ch + Q * q * co, P * p * sh + P * q * si],
            [(p - P) * sh + (q - Q) * si, (p - P) * ch - P / Q * (q - Q) * co],
        ]
    )
    return np.linalg.det(rows)


euler = np.array([1.875104, 4.694091]) ** 2 * np.sqrt(E * H**2 / 12 / rho) / L**2 / (2 * np.pi)
for mode, guess in enumerate(euler):
    band = np.flatnonzero((f > 0.7 * guess) & (f < 1.1 * guess))
    found = f[band[heard[band].argmax()]]
    exact = brentq(timoshenko, 2 * np.pi * 0.7 * guess, 2 * np.pi * 1.05 * guess) / (2 * np.pi)
    print(f"mode {mode + 1}: {found:.1f} Hz; Timoshenko {exact:.1f} Hz, Euler {guess:.1f} Hz")
    assert abs(found / exact - 1) < 0.005
assert abs(euler[1] / exact - 1) > 0.05
