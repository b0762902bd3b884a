"""What one request may ask for. Every number that keeps the studio answering stands here."""

BODY = 4_000_000  # bytes of a request
REQUEST = 30.0  # seconds in which a request must arrive whole, and an answer be taken bit by bit
SAMPLES = 200_000  # of a ground motion or load
STEPS = 200_000  # of a history
CELLS = 4_000_000  # steps × (dofs + springs) of a history: what is kept of it
HISTORY = 10.0  # seconds for a history, by the estimate of problems.py
SLOW_STEPS = 20_000  # of what runs step by step in Python
STOREYS = 200
TEXT = 2_000  # characters of a typed Lagrangian or dissipation
DERIVATION = 60.0  # seconds of processor for a derivation, and for a run of what was derived
PERIODS = 400  # of a spectrum
RUNS = 20_000  # of a study
STUDIES = 4  # at once
STUDY = 60.0  # seconds of one processor for a study, as its plan tells
SUITE = 3_000_000  # samples of all synthetic motions of a study: about three seconds to make
RESAMPLES = 10_000  # of a bootstrap
YIELDING = 25_000_000  # steps of all periods of a spectrum of constant ductility: about six seconds
ITERATIONS = 100  # of Newton's method in a step of the reference scheme
MOTIONS = 3  # directions of shaking at once
POINTS = 20  # of a backbone curve
VARIANTS = 21  # answers in a page that is taken home
PAGE_CELLS = 1_500_000  # displacements in it: about 7 MB
