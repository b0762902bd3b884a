"""22. Site response: what soil makes of a rock motion, and what a building on it feels.

Mathematics. A layer of height H in shear, ρ ü = (G u' + βG u̇')', on rock that moves: the surface moves 1/|cos kH| times
as much, k² = ρω²/(G(1 + iωβ)). Soil that flows, τ bounded by a strength plus η γ̇ᵖ, passes less of a strong motion on.
The surface motion is a ground motion like any other: it has spectra, and shakes a building.
"""

import numpy as np

import hamex as hx

H, c, rho, n = 30.0, 200.0, 1.8, 60  # m, m/s, t/m³
G, units = rho * c**2, hx.Units("m", "kN")
beta = 2 * 0.05 / (np.pi * c / (2 * H))  # 5 % of critical in the first mode
soft = hx.rayleigh(alpha=0.0, beta=beta)

# The elastic layer against its closed form, over all frequencies of a short wavelet.
elastic = hx.rod(H, n, modulus=G, density=rho, damping=soft, units=units)
wavelet = hx.ground_wave("ricker", 0.1, 0.25, step=0.005)
sol = hx.solve(hx.Problem(elastic, wavelet.on(elastic), 24.0), hx.Galerkin(step=0.005, degree=2))
surface, rock = sol.motion(f"node {n}"), sol.motion("ground")
omega = 2 * np.pi * np.fft.rfftfreq(len(rock.acceleration), rock.step)
own = (omega > 2) & (omega < 60)
found = np.abs(np.fft.rfft(surface.acceleration) / np.fft.rfft(rock.acceleration))[own]
exact = np.abs(1 / np.cos(omega[own] * H * np.sqrt(rho / (G * (1 + 1j * omega[own] * beta)))))
print(f"amplification up to {found.max():.2f}, off by at most {100 * np.abs(found / exact - 1).max():.2f} %")
assert np.abs(found / exact - 1).max() < 0.01

# El Centro three times as strong, under soil whose strength grows with depth.
dx = H / n
depth = H - (np.arange(n) + 0.5) * dx
strength = 20.0 + 4.0 * depth  # kN/m²
laws = [hx.Slider(yield_force=tau, viscosity=5.0 / dx, kinematic=0.02 * G / dx) for tau in strength]
flowing = hx.rod(H, n, modulus=G, density=rho, law=laws, damping=soft, units=units)
strong, peaks = hx.el_centro().scaled(3.0), {}
for name, soil in (("elastic", elastic), ("flowing", flowing)):
    run = hx.solve(hx.Problem(soil, strong.on(soil), 31.2), hx.Galerkin(step=0.01))
    surface = run.motion(f"node {n}")
    house = hx.oscillator(100.0, 100.0 * (2 * np.pi / 0.4) ** 2, hx.ratio(0.05), units=units)
    felt = hx.solve(hx.Problem(house, surface.on(house), 31.2), hx.Galerkin(step=0.01))
    peaks[name] = surface.peak
    moved = 100 * felt.peaks["displacement"].value
    print(f"{name}: surface {surface.peak / 9.80665:.2f} g, the house moves {moved:.1f} cm")
    assert run.residual < 1e-11
assert peaks["flowing"] < 0.5 * peaks["elastic"]
