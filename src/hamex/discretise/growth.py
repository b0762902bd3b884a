"""How isotropic hardening grows inside a step of several stages, so that the step keeps one solution.

A spring's limit at stage i is ``Yᵢ = Fy + Hi (w + h Σⱼ Âᵢⱼ |gⱼ|)``. Two solutions then differ by

    (gᵢ − gᵢ')(fᵢ − fᵢ')  ≥  (|gᵢ| − |gᵢ'|)(Yᵢ − Yᵢ')        as long as Yᵢ, Yᵢ' ≥ 0,

and the sum over the stages with the weights D is ``h Hi δ|g|ᵀ sym(DÂ) δ|g| ≥ 0``: hardening takes nothing away from the
promise. The element's own matrix A has sym(DA) ≻ 0 but negative entries: slip late in the step lowers the limit early
in it, below zero if the step is long, and then there are several solutions, with two stages already. The matrices here
have no negative entry, rows that sum to the nodes, sym(DÂ) ≻ 0 with D of :mod:`hamex.discretise.promise`, and the
impulse of the element: ``bᵀÂ = bᵀA`` (Gauss), last row b and, with three stages, ``bᵀÂc = 1/6`` (Radau). Own figures.
While a spring slips one way only, A itself is safe and has the higher order.
"""

from __future__ import annotations

GAUSS = {
    1: ((0.5,),),
    2: ((0.21132486540518713, 0.0),
        (0.5773502691896257, 0.21132486540518713)),
    3: ((0.11270166537925833, 0.0, 0.0),
        (0.32692681068175555, 0.17307318931824447, 0.0),
        (0.25151377215067444, 0.5230828970908089, 0.11270166537925831)),
    4: ((0.06943184420297371, 0.0, 0.0, 0.0),
        (0.20466140888952844, 0.12534806931804335, 0.0, 0.0),
        (0.16709353617466163, 0.36959899048492917, 0.13329799513283738, 0.0),
        (0.1641841500566595, 0.3281648860796583, 0.36878727545773476, 0.06943184420297367)),
}
RADAU = {
    1: ((1.0,),),
    2: ((1 / 3, 0.0),
        (0.75, 0.25)),
    3: ((0.1550510257216822, 0.0, 0.0),
        (0.4425578117937445, 0.2023911624845733, 0.0),
        (0.37640306270046725, 0.5124858261884216, 0.1111111111111111)),
}
