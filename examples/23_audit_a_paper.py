r"""23. A paper read and checked: its displayed equations against an action, one of them misprinted on purpose.

Mathematics. A pendulum, L = ½ml²θ̇² + mgl cos θ. An equation of a text follows from the action when it vanishes after
the highest derivatives are eliminated with the equations of motion, θ̈ = −(g/l) sin θ; a quantity is conserved when its
rate does. The text is LaTeX as it would be typeset; \omega is new in it, and a definition.
"""

import json
from pathlib import Path

import sympy as sp

import hamex as hx
from hamex.paper.audit.manuscript import read_manuscript
from hamex.paper.audit.open_audit import OpenAudit
from hamex.principle import t

PAPER = r"""
\begin{align}
  L &= \tfrac{1}{2} m l^2 \dot{\theta}^2 + m g l \cos\theta \\
  \omega^2 &= g / l \\
  \ddot{\theta} &= -\omega^2 \theta \\                    % the planted misprint: sin is missing
  \dot{\theta}^2 - 2 \omega^2 \cos\theta &= \text{const}
\end{align}
"""
m, l, g = sp.symbols("m l g", positive=True)
theta = sp.Function("theta")(t)
pendulum = hx.Action((theta,), m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sp.cos(theta))

verdicts = list(OpenAudit(pendulum).judged(read_manuscript(PAPER)))
for verdict in verdicts:
    print(f"{verdict.equation}  {verdict.verdict:12}{verdict.claim}")
wrong = verdicts[2]
print("it should read:", wrong.correct)
Path("audit.json").write_text(json.dumps([v.as_json() for v in verdicts], indent=2), encoding="utf-8")

assert [v.verdict for v in verdicts] == ["holds", "definition", "misprint", "holds"]
assert wrong.correct == r"\ddot{\theta} + \frac{g \sin \theta}{l} = 0"
