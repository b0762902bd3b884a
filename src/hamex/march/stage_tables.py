"""What stands where in the tables that the march of elements of several stages reads: numbers of slots, and of entries.

N holds integers and R reals, behind the matrix of a step in a band (:mod:`hamex.march.matrices`). Arrays of several
axes stand row by row; the unknown (dof, stage) stands at dof · stages + stage. Blocks of springs have m components with
a few variables each, d = m · variables entries in the state z.
"""

from hamex.march.matrices import LU_INTEGERS, LU_REALS

# Entries of the header: sizes, and switches that are 0 or 1.
DOFS, STAGES, SPRINGS, ENTRIES, TANGENTS, CHANNELS, RANK, BLOCKS, WIDEST = range(9)  # ENTRIES of z; WIDEST d
COUPLED = 9  # entries of the tangents between stages
FOLLOWS = 10  # entries of z that do not flow
STRAIGHT = 11  # every law is piecewise linear
NO, YES = 12, 13  # 0 and 1: the compiler would make a copy of a function for every literal

# Slots of N: header; calls; for every stage the groups of springs; integers of their laws.
HEAD, CALL, GROUPS, LAWS = range(LU_INTEGERS, LU_INTEGERS + 4)
# Of blocks: first spring, m, first entry in z, d, first entry in the laws' T, and in the coupled tangents (stage,
# component) squared, in dY/de (stage, entry) × (stage, component), in ∂dz/∂z (stage, entry, entry) and in ∂F/∂z (stage,
# component, entry).
FIRST, SIZE, BEGIN, MANY, TANGENT, PLACE, GAIN_AT, SLOPE_AT, PRESS_AT = range(LAWS + 1, LAWS + 10)
FOLLOWERS = LAWS + 10  # entries of z that do not flow but follow the deformation: slip of elastic laws
BRANCH, BRANCH_M, ORDER = range(LAWS + 11, LAWS + 14)  # (stage, spring); answers to a moved variable; of one block
# Equations of motion: (W²/h²)M + (W/h)C + K, M and K in compressed rows; B in compressed columns.
ROW, COLUMN, MASS_ROW, MASS_COLUMN, BESIDE_ROW, BESIDE_COLUMN, B_BEGIN, B_DOF = range(LAWS + 14, LAWS + 22)
# Most steps of Newton's method, whether they are damped, whether the first is on the branches given; linear solves,
# factorisations and tries; branches at the end of the last step, solves and tries of every step.
MODE, COUNT, LAST_BRANCH, SOLVES, TRIES = range(LAWS + 22, LAWS + 27)
INTEGERS = LAWS + 27
RESPOND, LINEARISE, MEASURE, SOLVE, FOLLOW_STATE = range(5)  # calls, addresses or numbers uncompiled

# Slots of R. The element, W = A⁻¹: (stage,) h/W_ii; Σ_j W_ij / h, the share of p₀ in the row of a stage; b; bᵀW, as
# u₁ = u₀ + Σ end · x; bᵀW²/h, as p₁ = rest · p₀ + M Σ push · x; then h and rest = 1 − Σ end; what stages see of one
# another's states.
TAU, START, WEIGHTS, END, PUSH, NUMBERS, CROSS = range(LU_REALS, LU_REALS + 7)
# Values of the matrices above; shapes of modal damping (rank, dof), its weights times W/h (rank, stage, stage); B;
# elastic stiffness of each spring by itself; 1/√ of the elastic diagonal, which makes rows of forces and of moments
# comparable; what the laws prepared and their work space; the share of its size by which a variable is moved.
VALUE, MASS, BESIDE, LOW, DAMP, SHARE, STIFF, UNIT, LAW, LAW_WORK, FINE = range(CROSS + 1, CROSS + 12)
# What the springs answer: force, tangents, changes of state, the residual of their own equations (stage, …); dY at the
# deformations held, and force then; tangents between stages, dY/de, ∂dz/∂z and ∂F/∂z of the blocks; the start that one
# stage sees; answers to a moved variable, and how far it moved; matrix and right side of one block.
F, T, DZ, OFF, FIXED, HELD, TIED, GAIN, SLOPE, PRESS = range(FINE + 1, FINE + 11)
Z0, F_M, T_M, DZ_M, MOVED, MATRIX, RIGHT = range(FINE + 11, FINE + 18)
# Work space of a step; nothing in it outlives the step but the factored tangents. The place: displacements, states and
# deformations; the same at a trial, and on the way there. Then deformation at the start, the right side and what
# cancels in it, the residual and the size of its terms; residuals at the start of a path, and the last place on it.
X, Y, EX, X_T, Y_T, EX_T, D, DY, ED = range(RIGHT + 1, RIGHT + 10)
E0, RHS, TERMS, G, TERM, G0, OFF0, X1, Y1 = range(ED + 1, ED + 10)
NOISE, FACTORED, MERIT = range(Y1 + 1, Y1 + 4)  # MERIT: sum of squares; relative residual of variables beside slip
# Histories; row 0 of the first three is the start. Displacements relative to the start of a step (step, stage, dof),
# forces and rates of the states at the stages, relative residuals. Loads (step, stage, channel), patterns (channel,
# dof).
U, P, STATE, MOVES, FORCES, RATES, LEFT, LOAD, PATTERNS = range(MERIT + 1, MERIT + 10)
REALS = PATTERNS + 1
