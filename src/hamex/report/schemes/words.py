"""Captions and sources of the page of schemes."""

CAPTIONS = {
    "spectrum": "Spectral radius, period elongation and algorithmic damping, undamped. Galerkin elements keep ρ = 1 at "
                "every step; elements with jumps and composite schemes forget fast motion.",
    "overshoot": "The first steps of a vibration with T = h/10. Shaded: where the exact motion stays.",
    "order": "Error against step. Left: slopes are the orders of theory. Middle and right: the instant of yielding "
             "inside a step limits every fixed step to second order; a return map at the end of the step is first "
             "order once there is viscosity.",
    "work": "CPU time (one thread, least of three runs) against error, better to the lower right. Elastic: all schemes "
            "in one compiled loop. Yielding: all by hamex.solve; Newmark, HHT-α and generalised-α by the march for any "
            "structure, the others by kernels for one mass, which cost about a hundredth.",
    "stiff": "Velocity of the mass behind the stiff spring; grey: the slow motion that should come out.",
    "bar": "Force at mid-length for h = Δx/c; grey: the continuous bar. Part of the ringing is the chain's own: space "
           "is not refined here.",
    "overstress": "The paper's oscillator with a millionth of its viscosity under twice the El Centro record, "
                  "h = 0.02 s. The continuous elements keep an overstress, which at degree 1 changes its sign "
                  "from step to step and at degree 2 stays; with jumps it is gone after one step.",
    "peaks": "Distribution of the error of the peak over the 72 oscillators, better to the upper left.",
}
REFERENCES = (
    "N. M. Newmark, A method of computation for structural dynamics, J. Eng. Mech. Div. ASCE 85 (1959) 67-94.",
    "E. L. Wilson, A computer program for the dynamic stress analysis of underground structures, UC Berkeley SESM 68-1 "
    "(1968); K. J. Bathe, E. L. Wilson, Stability and accuracy analysis of direct integration methods, Earthq. Eng. "
    "Struct. Dyn. 1 (1973) 283-291.",
    "G. L. Goudreau, R. L. Taylor, Evaluation of numerical integration methods in elastodynamics, Comput. Methods "
    "Appl. Mech. Eng. 2 (1972) 69-97.",
    "H. M. Hilber, T. J. R. Hughes, R. L. Taylor, Improved numerical dissipation for time integration algorithms in "
    "structural dynamics, Earthq. Eng. Struct. Dyn. 5 (1977) 283-292.",
    "H. M. Hilber, T. J. R. Hughes, Collocation, dissipation and 'overshoot' for time integration schemes in "
    "structural dynamics, Earthq. Eng. Struct. Dyn. 6 (1978) 99-117.",
    "R. E. Bank et al., Transient simulation of silicon devices and circuits, IEEE Trans. Electron Devices 32 (1985) "
    "1992-2007; M. E. Hosea, L. F. Shampine, Analysis and implementation of TR-BDF2, Appl. Numer. Math. 20 (1996) "
    "21-37.",
    "J. Chung, G. M. Hulbert, A time integration algorithm for structural dynamics with improved numerical "
    "dissipation: the generalized-α method, J. Appl. Mech. 60 (1993) 371-375.",
    "K. J. Bathe, M. M. I. Baig, On a composite implicit time integration procedure for nonlinear dynamics, Comput. "
    "Struct. 83 (2005) 2513-2524; K. J. Bathe, G. Noh, Insight into an implicit time integration scheme for structural "
    "dynamics, Comput. Struct. 98-99 (2012) 1-6; G. Noh, K. J. Bathe, The Bathe time integration method with "
    "controllable spectral radius: the ρ∞-Bathe method, Comput. Struct. 212 (2019) 299-310.",
    "E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer (1996): Gauss and Radau IIA.",
)
