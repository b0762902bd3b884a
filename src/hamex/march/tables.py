"""Tables of arrays, as kernels take them; and what stands where in those of a structure's march.

N holds integers, R reals, and J 32-bit integers: columns of matrices and dofs of springs, which large models read again
and again. Arrays of two axes stand row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Table:
    """Flat arrays of one kind by number, which kernels read as ``N`` (integers) or ``R`` (reals).

    Plain Python reads the arrays, compiled code their addresses. What is put into the table is not copied: it has to
    be of its kind and without gaps, and an array of several axes is read entry by entry in the order of memory.
    """

    def __init__(self, slots: int, kind: Any = float) -> None:
        self.kind = np.dtype(kind)
        self.arrays: list[Any] = [np.zeros(0, dtype=self.kind)] * slots
        self.words = np.zeros(slots, dtype=np.uint64)
        self.address = int(self.words.ctypes.data)

    def __getitem__(self, slot: int) -> Any:
        return self.arrays[slot]

    def __setitem__(self, slot: int, array: Any) -> None:
        if array.dtype != self.kind or not array.flags.c_contiguous:
            raise ValueError(f"a kernel reads arrays of {self.kind} without gaps; got {array.dtype}, {array.strides}")
        self.arrays[slot] = array.reshape(-1)
        self.words[slot] = array.__array_interface__["data"][0]


# Matrices by rows plus low · diag(low weight) · lowᵀ, numbered from 0: the first slots of N tell where the rows begin,
# those of J the columns, those of R the five parts of each, and the first entries of the header the ranks.
MATRICES = PARTS = 5
S, MASS, DAMPING, BESIDE, TENSION = range(MATRICES)  # of the step; M, C, K outside the springs, B A⁻¹
VALUE, LOW, LOW_WEIGHT, ACROSS, ROOM = range(PARTS)  # ACROSS is lowᵀ, so that both products run along the memory

# Slots of N: header, calls, B by springs (the deformation of spring j is Σ share·u[dof]) and the places of their slips,
# groups of springs and the integers of their laws, branches, counts, and what the band adds up: its place, its tangent.
HEAD, CALL, BEGIN, SLIP, GROUPS, LAWS, BRANCH, COUNT, PLACE, SOURCE = range(MATRICES, MATRICES + 10)
# Dofs that have neither mass nor damping, where the element is to bring them back into balance; solves and points of
# line searches of every step.
LIGHT, SOLVED, SEARCHED = range(MATRICES + 10, MATRICES + 13)
SLOTS_N = MATRICES + 13
DOF = MATRICES  # slot of J: dofs of B
SLOTS_J = MATRICES + 1

# Entries of the header: sizes, and switches that are 0 or 1.
DOFS, SPRINGS, STATES, TANGENTS, CHANNELS, ROWS = range(MATRICES, MATRICES + 6)  # ROWS of channel values
CONTROLLED = MATRICES + 6  # increments obey pull · x = given
STRAIGHT = MATRICES + 7  # every law is piecewise linear
SAFEGUARDED = MATRICES + 8  # 0: plain Newton-Raphson with its tolerance and most iterations
ITERATIONS = MATRICES + 9
REPORTED = MATRICES + 10  # one solution is not promised, but watched
CUTS = MATRICES + 11  # a step in which a spring breaks is not taken whole
LONG = MATRICES + 12  # springs outweigh masses so far that the matrix keeps few digits of the masses
COLUMNS, CONTRIBUTIONS = MATRICES + 13, MATRICES + 14  # of the band
LIGHTS, IMPOSED_ROWS, FOLLOWS = range(MATRICES + 15, MATRICES + 18)  # FOLLOWS velocities; M⁻¹p tells them else
NO, YES = MATRICES + 18, MATRICES + 19  # 0 and 1: the compiler would make a copy of a function for every literal
SIZES = MATRICES + 20

# Calls, addresses or numbers uncompiled: ``factorise(N, J, R)`` takes the tangents T and returns 0 or 1 + the row of a
# pivot that is not positive; ``solve(N, J, R, slot)`` puts A⁻¹x in the place of x; ``step(N, J, R, k, node)``.
FACTORISE, SOLVE, STEP = range(3)
SOLVES, FACTORS, SEARCHES, UNCERTAIN = range(4)  # counts

# Slots of R behind the matrices: numbers of the scheme, B; of the springs the elastic stiffness each by itself, the
# tangents when nothing slips, and what their laws prepared; 1/√ of the elastic diagonal, which makes rows of forces and
# of moments comparable; the combination of increments that is controlled.
NUMBERS, SHARE, STIFF, ELASTIC, LAW, UNIT, PULL = range(PARTS * MATRICES, PARTS * MATRICES + 7)
# Work space: vectors on dofs (Z is A⁻¹ pull), and on springs (MOVED by supports; DX, at which they are asked; NOISE,
# the force that cancels in their deformations); changes of state, tangents and those of the last factors.
_AT = PARTS * MATRICES + 7
X, D, G, SX, SD, SIZE, Z, RIGHT, E0, MOVED, EX, ED, DX, NOISE = range(_AT, _AT + 14)
DZ, T, FACTORED, SMALL, MULTIPLIER, BLOCK = range(_AT + 14, _AT + 20)
BASE, OF_T, BAND, SPREAD, CAP = range(_AT + 20, _AT + 25)  # the band: what stays, shares of T, its factors
# Loads: channel values, one row per step or per node; patterns (channel, dof); deformation that moving supports impose
# (node, spring), one row where they stand still; load on the light dofs at the start of each step.
VALUES, PATTERNS, IMPOSED, JOINTS = range(_AT + 25, _AT + 29)
# Histories; row 0 is the start. CARRIED goes on from step to step, JOINT is the work of what brings light dofs back
# into balance, FACTOR is that of slow loading.
DISPLACEMENT, STATE, FORCE, MOMENTUM, VELOCITY, CARRIED, JOINT, LAST, FACTOR = range(_AT + 29, _AT + 38)
SLOTS_R = _AT + 38

# NUMBERS: weight, reach and time of the step's equation; the tolerance of Newton-Raphson; the relative residual at
# which a step ends, and what that may do of the work of a step.
WEIGHT, REACH, TAU, TOLERANCE, ENOUGH, WASTED = range(6)
H = PENALTY = 6  # length of a step of the linear element, or the penalty of slow loading; or Newmark's interpolation,
TO_V, TO_A, V_V, V_A, A_V, A_A, OLD_INERTIA, OLD_FORCE = range(6, 14)  # and the weights of the old node
# LAST: worst relative residual; on failure why, 0 for a spring that breaks; first step that may have several solutions.
