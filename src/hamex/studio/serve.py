"""Serving the studio on this computer: find the port, warm the kernels, say where to look."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import webbrowser

import numpy as np
import uvicorn

from hamex.errors import InputError
from hamex.studio.app import create_app

LOCAL = ("localhost", "127.0.0.1", "::1")


def serve(host: str = "127.0.0.1", port: int = 8765, open_page: bool = False) -> None:
    """Serve until interrupted. ``port`` 0 takes any that is free."""
    listening = _bound(host, port)
    name = "localhost" if host in LOCAL else host
    address = f"http://{name}:{listening.getsockname()[1]}/"
    app = create_app(hosts=(*LOCAL, "[::1]", host))
    print(f"hamex studio: {address}  (Ctrl-C ends it)", flush=True)
    if host not in LOCAL:
        print("note: anybody who reaches this computer on that port can use the studio", flush=True)
    # Kernels are loaded while the page loads, so that the first control is as quick as the others.
    threading.Thread(target=warm_up, daemon=True).start()
    if open_page:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, access_log=False))
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has closed everything and passes the key on
    finally:
        listening.close()


def _is_news(record: logging.LogRecord) -> bool:
    """False for requests that were under way when the studio was ended: that is no error."""
    return not (record.exc_info and record.exc_info[0] and issubclass(record.exc_info[0], asyncio.CancelledError))


def _bound(host: str, port: int) -> socket.socket:
    """A listening socket, or a message before anything is loaded."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # whoever comes before the studio is ready waits for it
    except (OSError, OverflowError) as problem:
        listening.close()
        why = getattr(problem, "strerror", None) or str(problem)
        raise InputError(
            f"cannot serve on {host}:{port}: {why}; another studio may run there, "
            "--port takes another port, 0 any that is free"
        ) from None
    return listening


def warm_up() -> None:
    """One short run of each kind, compiled; what is compiled already is loaded from the cache."""
    from hamex.model.damping import modal
    from hamex.model.laws.slider import Slider
    from hamex.model.oscillator import oscillator
    from hamex.model.shear_frame import shear_frame
    from hamex.motion.ground import el_centro
    from hamex.schemes import DiscontinuousGalerkin, Galerkin, Newmark
    from hamex.solve import Problem, solve
    from hamex.study.spectra.spectrum import spectrum

    law = Slider(yield_force=0.2, viscosity=0.1, kinematic=0.1)
    models = (oscillator(1.0, 100.0, 0.5, law), shear_frame([1.0] * 3, [100.0] * 3, modal(0.05), law))
    motion = el_centro()
    for model in models:
        # Long enough for the compiled kernels: below a measured size the same functions run uncompiled.
        problem = Problem(model, motion.on(model, g=1.0), duration=30.0)
        for scheme in (Galerkin(0.01), Newmark(0.01), DiscontinuousGalerkin(0.01, degree=2)):
            _ = solve(problem, scheme).energy
    spectrum(motion, np.geomspace(0.05, 4.0, 20), damping=0.05, g=9.81)
