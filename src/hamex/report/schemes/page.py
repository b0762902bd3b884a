"""The page of `hamex schemes`: definitions, tables, figures and the data, in one file that works offline."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Mapping
from html import escape

from hamex.lab.laboratory import STEPS, Laboratory
from hamex.report.page import captioned, cards, page
from hamex.report.schemes import tables
from hamex.report.schemes.definitions import definitions
from hamex.report.schemes.looks import percent
from hamex.report.schemes.words import CAPTIONS, REFERENCES


def schemes_page(lab: Laboratory, drawings: Mapping[str, str]) -> str:
    """The whole page; ``drawings`` are SVG elements by figure name."""
    def show(name: str) -> str:
        return captioned(drawings[name], CAPTIONS[name]) if name in drawings else ""

    sections = [
        _top(lab), tables.overview(lab), _data(lab),
        "<h2>Which one to choose</h2>" + _choice(),
        "<h2>Definitions</h2>" + definitions(),
        "<h2>Spectral radius, period, damping</h2>" + show("spectrum"),
        "<h2>Overshoot</h2>" + _text(
            "Spectral radii say what becomes of fast motion in the long run; the first steps can be far too large even "
            "so (Hilber and Hughes 1978). Wilson-θ overshoots in displacement, the α schemes in velocity.")
        + show("overshoot") + tables.overshoot(lab),
        "<h2>Energy over 100,000 periods</h2>" + _text(
            "The continuous elements keep the energy up to round-off, which 2,000,000 steps gather. Central difference "
            "and linear acceleration keep a neighbour of the energy, so the energy itself swings and does not drift. "
            "All others lose it.") + tables.drift(lab),
        "<h2>Order</h2>" + _text(
            "The paper's oscillator (m = 1, k = 225, c = 1.5) from rest under a sine off resonance, five periods: "
            "elastic, against the closed form; and with F<sub>y</sub> = 0.27, against much finer runs, with η = 1.5 "
            "and with η = 0.") + show("order") + tables.order(lab),
        *(["<h2>Work and precision</h2>" + _text(
            "The same oscillator under twice the El Centro record, 32 s, steps of 0.02 s and halves of it.")
            + show("work") + tables.work(lab)] if "work" in drawings else []),
        "<h2>Stiff and soft</h2>" + _text(
            "Two unit masses on springs of stiffness 10⁷ and 1 behind a support that moves by sin 1.2t; h = 0.2618 s, "
            "about 130 periods of the stiff motion (Bathe and Noh 2012). Schemes with ρ∞ = 1 carry the stiff motion "
            "along for ever, and the reaction shows it.") + show("stiff") + tables.stiff(lab),
        "<h2>Step load on a bar</h2>" + _text(
            "A chain of 100 masses, fixed at one end and pulled at the other by a force that is switched on. The "
            "central difference method at h = Δx/c is exact here, a property of the uniform chain.")
        + show("bar") + tables.fronts(lab),
        "<h2>Viscosity that all but vanishes</h2>" + show("overstress"),
        *(["<h2>Rate-independent plasticity</h2>" + _text(
            "72 oscillators under El Centro at the record's own step, without viscosity: 12 periods from 0.2 to 3 s, "
            "6 strengths from the elastic demand / 1.5 to / 8, damping 5 %, perfectly plastic and with 5 % of the "
            "stiffness left after yielding. Peaks at the nodes against runs with h/512.")
            + show("peaks") + tables.peaks(lab)] if lab.peaks else []),
        "<h2>Sources</h2><ul>" + "".join(f"<li>{escape(text)}</li>" for text in REFERENCES) + "</ul>"]
    foot = ("All numbers on this page were computed when it was made; CPU times are those of the computer that made "
            "it. Record: El Centro 1940 NS, US Coast and Geodetic Survey, as digitised in Chopra's appendix.")
    return page("Time integration schemes compared", "\n".join(sections), foot, "schemes")


def _text(words: str) -> str:
    return f"<p>{words}</p>"


def _top(lab: Laboratory) -> str:
    numbers = [(f"{percent(lab.row(f'galerkin-{degree}').elongation, places)} %",
                f"period elongation at h/T = 0.1, degree {degree}")
               for degree, places in ((1, 3), (2, 4), (3, 5)) if _has(lab, f"galerkin-{degree}")]
    if _has(lab, "discontinuous-1"):
        numbers.append((f"{lab.row('discontinuous-1').orders['smooth'].order:.2f}",
                        "measured order, jumps of degree 1, smooth"))
    return ("<h1>Time integration schemes compared</h1><p class='lead'>Time elements from the extended Hamilton's "
            f"principle beside the schemes of structural dynamics: {len(lab.rows)} integrators, each defined by its "
            "data, through the same experiments, on smooth, stiff and yielding problems.</p>"
            + cards(numbers))


def _has(lab: Laboratory, key: str) -> bool:
    return any(row.entry.key == key for row in lab.rows)


def _choice() -> str:
    return ("<ul><li><b>Elastic:</b> Galerkin of degree 2 or 3. A step of a tenth of the period is then accurate to "
            "the digits anyone reads; degree 1 needs far more steps.</li>"
            "<li><b>Yielding with viscosity:</b> Galerkin of degree 1. Second order, exact energy balance, no "
            "iteration for one spring. Higher degrees have smaller errors at the same step, but the instant of "
            "yielding inside a step limits them to second order too, and their steps cost more.</li>"
            "<li><b>Rate-independent yielding, stiff dashpots, wave fronts:</b> DiscontinuousGalerkin of degree 2, or "
            "1 where speed counts; Newmark with its return map is the plain alternative. The continuous elements are "
            "not L-stable: what is much faster than the step does not decay, and forces at the nodes zig-zag.</li>"
            "<li><b>Very large models with lumped mass and short steps anyway:</b> central differences, below their "
            "limit ωh = 2.</li></ul>")


def _data(lab: Laboratory) -> str:
    whole = json.dumps(lab.as_json(), separators=(",", ":"), ensure_ascii=False)
    return (f'<p>Data of this page: {_link("hamex-schemes.json", "application/json", whole)} (everything), '
            f'{_link("hamex-schemes.csv", "text/csv", curves_csv(lab))} (curves over h/T).</p>')


def _link(name: str, kind: str, text: str) -> str:
    code = base64.b64encode(text.encode()).decode()
    return f'<a download="{name}" href="data:{kind};charset=utf-8;base64,{code}">{name}</a>'


def curves_csv(lab: Laboratory) -> str:
    """Spectral radius, period elongation and damping ratio of every scheme, one row per scheme and h/T."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["scheme", "h/T", "spectral radius", "period elongation", "damping ratio"])
    for row in lab.rows:
        curves = row.curves
        for values in zip(STEPS, curves.radius, curves.elongation, curves.damping, strict=True):
            writer.writerow([row.entry.key, *("" if value != value else f"{value:.6g}" for value in values)])
    return buffer.getvalue()
