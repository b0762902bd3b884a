"""WHAT: the model record, laws of springs, damping and builders."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

import numpy as np


def _when_used(part: str) -> None:
    """Load a part of NumPy when it is first used.

    SciPy looks up every name that NumPy has; these two, which it does not use, are half of what importing
    ``scipy.sparse`` takes.
    """
    name = f"numpy.{part}"
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(np, part, module)


_when_used("f2py")
_when_used("testing")
