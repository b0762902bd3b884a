"""Keys of parts of studies: hashes of a versioned description of what determines a part.

Results that are kept in a folder are recognised by their key for good, so a key does not follow the classes: the
description below says which fields of a class enter it. A field that is added to a class later enters only where it
differs from its default; a class without description, such as a user's own law, enters with all its fields.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

import numpy as np

from hamex.errors import InputError

VERSION = "0.1.0"  # of the description: a new one computes every part of every study again
DESCRIBED: Mapping[str, str] = {
    "Model": "mass damping stiffness flexibility compatibility laws influence supports dofs springs directions "
    "units support_names groups storeys geometry body ground_inertia fields",
    "Damping": "matrix shapes weights",
    "Units": "length force",
    "Storeys": "names heights drift above floors",
    "Geometry": "nodes coordinates motion elements names springs",
    "Body": "cell vertices corners degree plane thickness mean_dilatation boundaries regions motion given kind "
    "elasticity slipping speeds outgoing",
    "Fields": "mesh names degree orders free stated_load lumped",
    "Group": "law first components parameters",
    "Surface": "yield_forces center viscosity kinematic isotropic",
    "Surfaces": "first size begin weight center reference viscosity isotropic primary kinematic",
    "Oscillators": "mass damping stiffness yield_force viscosity kinematic isotropic geometric units",
    "ShearFrames": "mass stiffness damping_main damping_side geometric_main geometric_side yield_force viscosity "
    "kinematic isotropic heights units",
    "Parallel": "parts error",
    "GroundMotion": "acceleration step unit source component kind",
    "Load": "forces step patterns ground breaks shifts source",
    "LoadSum": "parts",
    "Sine": "amplitude omega phase duration",
    "Polyline": "times values",
    "Sampled": "values step",
    "MotionSequence": "motions gap",
    "Limit": "drift_ratio drift stop",
    "State": "displacement momentum slip internal",
    "Hunt": "first step growth runs largest tolerance",
    "Sa": "period damping",
    "Pga": "",
    "Slider": "yield_force viscosity kinematic isotropic",
    "FollowedSlider": "yield_force viscosity kinematic isotropic",
    "ParallelLaws": "laws shares",
    "MinMax": "law min max",
    "Fatigue": "law E0 m Dmax min max",
    "Backbone": "yield_force cap_ratio plastic post_cap residual_ratio ultimate yield_force_negative "
    "cap_ratio_negative plastic_negative post_cap_negative residual_ratio_negative ultimate_negative",
    "Bilinear": "yield_force cap_ratio plastic post_cap residual_ratio ultimate yield_force_negative "
    "cap_ratio_negative plastic_negative post_cap_negative residual_ratio_negative ultimate_negative "
    "hardening",
    "IMK": "yield_force cap_ratio plastic post_cap residual_ratio ultimate yield_force_negative "
    "cap_ratio_negative plastic_negative post_cap_negative residual_ratio_negative ultimate_negative "
    "reloading lambda_s lambda_c lambda_a lambda_k c_s c_c c_a c_k d_positive d_negative kappa_f kappa_d "
    "rule",
    "BoucWen": "alpha n gamma beta A0 deltaA deltaNu deltaEta",
    "Hysteretic": "s1p e1p s2p e2p s3p e3p s1n e1n s2n e2n s3n e3n pinchX pinchY damage1 damage2 beta",
    "MenegottoPinto": "yield_force b R0 cR1 cR2 a1 a2 a3 a4",
    "Pinching4": "ePf1 ePd1 ePf2 ePd2 ePf3 ePd3 ePf4 ePd4 rDispP rForceP uForceP gK1 gK2 gK3 gK4 gKLim gD1 gD2 gD3 gD4 "
    "gDLim gF1 gF2 gF3 gF4 gFLim gE dmgType eNf1 eNd1 eNf2 eNd2 eNf3 eNd3 eNf4 eNd4 rDispN rForceN "
    "uForceN",
    "Gap": "gap hook corner post_stiffness",
    "MultilinearElastic": "points points_negative",
    "PowerLaw": "coefficient exponent",
    "J2": "yield_stress viscosity kinematic isotropic components volume",
    "DruckerPrager": "cohesion friction_angle fit viscosity isotropic components volume",
    "RungeKutta4": "step",
    "Bathe": "step split",
    "RhoBathe": "step rho",
    "TrBdf2": "step",
    "QuasiStatic": "by step",
    "Galerkin": "step degree load locate tolerance law",
    "DiscontinuousGalerkin": "step degree load locate tolerance",
    "Newmark": "step beta gamma tolerance max_iterations safeguarded",
    "GeneralisedAlpha": "step rho",
    "HilberHughesTaylor": "step alpha",
    "PiecewiseExact": "step",
    "CentralDifference": "step",
    "WilsonTheta": "step theta",
    "LeapFrog": "step",
}


def digest(*things: Any) -> str:
    """Hexadecimal hash; equal content gives equal hashes, on any machine.

    >>> digest(1.0, "a") == digest(1.0, "a") != digest(1.0, "b")
    True
    """
    hasher = hashlib.sha256()
    for thing in things:
        _hash(hasher.update, thing)
    return hasher.hexdigest()[:32]


def _hash(update: Callable[[bytes], object], thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        update(f"array{thing.dtype.str}{thing.shape}".encode())
        update(np.ascontiguousarray(thing).tobytes())
    elif hasattr(thing, "tocsr"):
        matrix = thing.tocsr().sorted_indices()
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            _hash(update, part)
    elif thing is None or isinstance(thing, bool | int | float | str | np.generic):
        update(f"{type(thing).__name__}:{thing!r};".encode())
    elif is_dataclass(thing) and not isinstance(thing, type):
        update(type(thing).__name__.encode())
        for name in _entering(thing):
            update(name.encode())
            _hash(update, getattr(thing, name))
    elif isinstance(thing, type):  # the law of a group of springs
        update(f"{thing.__module__}.{thing.__qualname__};".encode())
    elif isinstance(thing, Mapping):
        for name in sorted(thing):
            update(str(name).encode())
            _hash(update, thing[name])
    elif isinstance(thing, tuple | list):
        update(f"{len(thing)}:".encode())
        for entry in thing:
            _hash(update, entry)
    else:
        raise InputError(f"study: {thing!r:.60} cannot be hashed, so its results could not be recognised again")


def _entering(thing: Any) -> list[str]:
    """Names of the fields that enter the key: those described, and later ones that differ from their default."""
    all_fields = {one.name: one for one in fields(thing)}
    if type(thing).__name__ not in DESCRIBED or not type(thing).__module__.startswith("hamex."):
        return list(all_fields)
    described = DESCRIBED[type(thing).__name__].split()
    later = [one for name, one in all_fields.items() if name not in described and _differs(thing, one)]
    return described + [one.name for one in later]


def _differs(thing: Any, one: Field[Any]) -> bool:
    default = one.default_factory() if one.default_factory is not MISSING else one.default
    return default is MISSING or digest(default) != digest(getattr(thing, one.name))
