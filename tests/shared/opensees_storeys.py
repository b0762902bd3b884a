"""A live OpenSees for shear buildings of degrading storeys: floors in a row, one material a storey, P-Delta as the
negative stiffness that hamex takes, damping in proportion to the masses. Newmark's average acceleration, plain Newton.

As a program it reads one request (JSON) and answers; :func:`asked` starts it.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest


def asked(request):
    """Answer of a process of its own."""
    from hamex.paper import opensees

    reason = opensees.available()
    if reason is not None:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    done = subprocess.run(
        [sys.executable, __file__], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def building(model, laws, damping):
    """The numbers of a shear frame of hamex: its own mass, P-Delta and springs; C is ``damping`` times M."""
    k = 1 / model.flexibility.diagonal()
    K = model.stiffness.toarray()
    return {
        "mass": model.mass.diagonal().tolist(),
        "materials": [law.in_opensees(float(stiff)) for law, stiff in zip(laws, k, strict=True)],
        "beside": (-np.append(0.0, np.diagonal(K, -1)) + np.append(K.sum(axis=1)[0], np.zeros(len(k) - 1))).tolist(),
        "damping": damping,
    }


# In the other process ---------------------------------------------------------------------------------------


def run(ops, frame, values, h, limit, tolerance):
    """Largest drift of each storey, whether a storey passed its limit, and the number of the step that failed."""
    n = len(frame["mass"])
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    for node in range(n + 1):
        ops.node(node, 0.0)
    ops.fix(0, 1)
    for i in range(n):
        ops.mass(i + 1, frame["mass"][i])
        name, numbers = frame["materials"][i]
        ops.uniaxialMaterial(name, 2 * i + 1, *numbers)
        ops.element("zeroLength", 2 * i + 1, i, i + 1, "-mat", 2 * i + 1, "-dir", 1)
        ops.uniaxialMaterial("Elastic", 2 * i + 2, frame["beside"][i])
        ops.element("zeroLength", 2 * i + 2, i, i + 1, "-mat", 2 * i + 2, "-dir", 1)
    ops.region(1, "-node", *range(1, n + 1), "-rayleigh", frame["damping"], 0.0, 0.0, 0.0)
    ops.timeSeries("Path", 1, "-dt", h, "-values", *values, 0.0)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", tolerance, 60)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    most = [0.0] * n
    for step in range(1, len(values)):
        if ops.analyze(1, h) != 0:
            return {"drift": most, "passed": False, "failed": step}
        below = 0.0
        for i in range(n):
            at = ops.nodeDisp(i + 1, 1)
            most[i], below = max(most[i], abs(at - below)), at
        if max(most) > limit:
            return {"drift": most, "passed": True, "failed": 0}
    return {"drift": most, "passed": False, "failed": 0}


def hunt(ops, frame, values, h, limit, tolerance, hunting):
    """Largest intensity without collapse and smallest with it, by the steps of :class:`hamex.Hunt`, and how many runs
    failed before their storeys passed the limit: those count as collapsed, as users of OpenSees count them."""
    failed = 0

    def falls(im):
        nonlocal failed
        found = run(ops, frame, [im / hunting["size"] * a for a in values], h, limit, tolerance)
        failed += found["failed"] > 0
        return found["passed"] or found["failed"] > 0

    low, high = 0.0, hunting["first"]
    while not falls(high):
        low, high = high, high + hunting["step"]
    while high - low > hunting["tolerance"] * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if falls(middle) else (middle, high)
    return {"low": low, "high": high, "failed": failed}


def main():
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as ops

    request = json.load(sys.stdin)
    frame, h, limit = request["frame"], request["step"], request["limit"]
    tolerance, answers = request.get("tolerance", 1e-10), []
    for case in request["cases"]:
        values = request["records"][case["record"]]
        if "scale" in case:
            answers.append(run(ops, frame, [case["scale"] * a for a in values], h, limit, tolerance))
        else:
            answers.append(hunt(ops, frame, values, h, limit, tolerance, case))
    with channel:
        json.dump(answers, channel)


if __name__ == "__main__":
    main()
