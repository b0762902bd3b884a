"""Record files of single networks, written from the descriptions of their formats, with numbers made up here.

Every writer takes samples, a list a component, and gives the text of a file whose header tells the right peak unless
another is given.
"""

from record_samples import rows

THREE = [
    [0.1, -2.5, 3.25, 0.0, -1.75, 1.5, 0.25, -0.5, 2.0, -3.0, 0.75, 1.0, -0.25],
    [1.0, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0, 8.5, -9.0, 1.0, -1.0, 0.5, 0.25],
    [-0.5, 0.5, -0.25, 0.25, 0.0, 0.75, -0.75, 1.25, -0.1, 0.2, -0.3, 0.4, -0.5],
]
NONE, NONE_REAL = -32768, 1.7e38


def peak(samples):
    return max(map(abs, samples))


def smc_number(x, digits=4):
    """1.5057E+0: one digit before the point, one of the exponent."""
    mantissa, exponent = f"{x:.{digits}E}".split("E")
    return f"{mantissa}E{int(exponent):+d}".rjust(digits + 6)


def smc(samples=THREE[0], rate=200.0, kind="2 CORRECTED ACCELEROGRAM", digits=None, told=None, pairs=False):
    """11 lines of text, 48 integers, 50 reals, comments, values. Pairs have no rate, their times in between."""
    values = [number for i, a in enumerate(samples) for number in ((i**1.01 / 200, a) if pairs else (a,))]
    integers, reals = [NONE] * 48, [NONE_REAL] * 50
    integers[15], integers[16] = 2, len(values)
    integers[46] = NONE if digits is None else digits
    reals[1] = NONE_REAL if pairs else rate
    top = max(samples) if told is None else told
    reals[28:32] = 0.01, top, 0.02, min(samples)
    width = 10 if digits is None else digits + 6
    text = [
        kind,
        "*",
        "XXX0A",
        "     2001   1   1    1200 Nowhere, XX",
        "Moment Mag=      6.0",
        "station = Nowhere, 9 Made Up St.         component=    360",
        "epicentral dist =     89.0       pk     =    104.4",
        "inst type=made up    data source = nobody",
        *["*"] * 3,
    ]
    return "\n".join(
        [
            *(line.ljust(80) for line in text),
            *rows([str(n) for n in integers], 8, 10),
            *rows([f"{x:.7E}" for x in reals], 5, 15),
            "|",
            "|made up",
            *rows([smc_number(x, 4 if digits is None else digits) for x in values], 80 // width, width),
            "",
        ]
    )


def geonet(components=THREE, step=0.005, corrected=False, told=None):
    """16 lines of text, 4 of integers, 6 of reals, ten values a line; velocities and displacements if corrected."""
    lines = []
    for name, samples in zip(("N10E", "S80E", "Up"), components, strict=True):
        n = len(samples)
        top = peak(samples) if told is None else told
        integers = [0] * 40
        integers[33:36] = (n, n, n) if corrected else (n, 0, 0)
        reals = [0.0] * 60
        reals[24:26] = 0.005, step
        lines += [
            f"{'Corrected' if corrected else 'Uncorrected'} accelerogram 20010101_120000_XXXX_20 made up",
            "Site XXXX      42 31 24S  172 49 50E     file:  20010101_120000_XXXX",
            "Nowhere Emergency Centre",
            "Instrument made up",
            "Resolution: 24-bit   Instr Period: 0.0050 s   Damping: 0.700",
            "Accelerogram 20010101_120000_XXXX_20                 Processed 2001 January 02",
            "5 km south-west of Nowhere",
            "2001 January 1         12:00:00 UT",
            "Epicentre  42 41 33S 173 01 19E  Bearing S40E  Dist   25km  Depth   15km Mw 6.00",
            f"Number of points  {n}    Duration {n * step:.2f} s",
            f"Instrument corrected data at {step:.3f} sec intervals"
            if corrected
            else f"Raw readings in units of 1.00 mm/s/s  at intervals of {step:.3f} s",
            "Data is unfiltered",
            f"Component {name}",
            f"Acceleration:  Peak {top:8.2f} mm/s/s at  48.13 s     RMS   209.89 mm/s/s",
            "Velocity record unevaluated",
            "Displacement record unevaluated",
            *rows([str(i) for i in integers], 10, 8),
            *rows([f"{x:.4f}" for x in reals], 10, 8),
            *rows([f"{a:.2f}" for a in samples], 10, 8),
        ]
        if corrected:
            lines += [*rows([f"{a:.5f}" for a in samples], 10, 8)] * 2
    return "\n".join([*lines, ""])


def volume_one(components=THREE, step=0.005, network="renadic", jitter=0.0, told=None):
    """13 lines of text, 100 integers, 50 reals; pairs of time and tenths of a gravity, or (BHRC) the latter alone."""
    digital, lines = network == "bhrc", []
    for place, (name, samples) in enumerate(zip(("L", "V", "T"), components, strict=True), start=1):
        n = len(samples)
        top = peak(samples) / 10 if told is None else told
        reals = [0.0] * 50
        reals[6] = 1 / step
        if digital:
            text = [
                "* VOL1DS FILE:  9999/01",
                "Inst Type = made up",
                "Origin Time : 2001/01/01   12:00:00",
                "",
                name,
                "",
                f"COMP {name}{place}",
                "Nowhere                   Station   38.474 N 47.059 E   Altitude 1360m   Azimuth L 352   T 82",
                "Epicenter 38.520 N 46.860 E   FD 12 Km",
                "INSTR PERIOD =  .019 SEC   DAMPING =  .640",
                f"NO. OF POINTS =  {n}      DURATION =  {n * step:.3f}",
                "UNITS ARE SECONDS AND G/10",
                "",
            ]
            header = rows([f"{x:.6E}" for x in reals], 6, 13)[:7]
            data = rows([f"{a:.6E}" for a in samples], 10, 13)
        else:
            text = [
                "UNCORRECTED ACCELEROGRAM DATA              PROCESSED: 01/02/2001",
                "0101011",
                "01/01/2001 12:00:00 (GMT)",
                "TRIGGER TIME: 1/1/2001 12:00:00.000 GMT",
                "STATION NO.          0.000N    0.000E  SMA-1     S/N  456 (3  CHNS OF 3  AT STA)",
                "NOWHERE S/N 4561",
                f"CHAN  {place}: {name}        (STA CHN:  {place})",
                "MADE UP",
                "HYPOCENTER:   0.000N    0.000E  H=   0.0KM   ML= 0.00",
                "INSTR PERIOD = 0.0400 SEC,  DAMPING =0.6000,  SENSITIVITY =1.000 VDC/G",
                f"NO. OF POINTS =   {n}  RECORD LENGTH = {n * step:.3f} SEC",
                f"UNITS OF UNCOR ACCEL ARE SEC AND G/10.     MAX  =  {top:.3f} G, AT  11.895 SEC",
                "RMS ACCEL OF COMPLETE RECORD = 0.021 G",
            ]
            header = rows([f"{x:.3f}" for x in reals], 8, 10)
            times = [i * step + (jitter if i % 2 else 0.0) for i in range(n)]
            data = rows([f"{x:.3f}" for pair in zip(times, samples, strict=True) for x in pair], 10, 7)
        integers = rows(["0"] * 100, 16, 5)
        assert (len(text), len(integers)) == (13, 7)
        header += [""] * (7 - len(header)) if digital else []
        lines += [*text, *integers, *header[:7], *data, f"/&  ----------  END OF DATA FOR CHANNEL {place}  ----------"]
    return "\n".join([*lines, ""])


def asa(components=THREE, step=0.005, told=None, count=None):
    """Keys in Spanish, names between rulers, a column a channel, in gal."""
    names = ("V", "N00E", "N90E")
    n = len(components[0]) if count is None else count
    tops = [peak(samples) for samples in components] if told is None else [told] * 3

    def each(values):
        return "".join(f"/{value}" for value in values)

    ruler = "---------+" * 8
    return "\n".join(
        [
            "*" * 86,
            "                       INSTITUTO INVENTADO",
            "*" * 86,
            "ARCHIVO ESTANDAR DE ACELERACION:",
            "VERSION DEL FORMATO                    : 2.0",
            "CLAVE DE LA ESTACION                   : NADA",
            "LOCALIZACION DE LA ESTACION            : AV. NINGUNA",
            "                                       : 9",
            f"ORIENTACION C1-C6 (rumbo;orientacion)  : {each(names)}",
            f"INTERVALO DE MUESTREO, C1-C6 (s)       : {each([step] * 3)}",
            "FECHA DEL SISMO [GMT]                  : 2001/01/01",
            f"NUM. TOTAL DE MUESTRAS, C1-C6          : {each([n] * 3)}",
            f"ACEL. MAX.(Gal), C1-C6                 : {each(f'{top:.4f}' for top in tops)}",
            "UNIDADES DE LOS DATOS                  : Gal (cm/s/s)",
            "FORMATO DATOS (FORTRAN,10 campos/dato) : 3F10.4",
            "DATOS DE ACELERACION:",
            ruler,
            "   CANAL-1   CANAL-2   CANAL-3",
            "".join(name.rjust(10) for name in names),
            ruler,
            *("".join(f"{a:10.4f}" for a in row) for row in zip(*components, strict=True)),
            "",
        ]
    )


def nsmn(components=THREE, step=0.01, told=None, count=None):
    """Keys, names of columns, a column a component, in gal."""
    names = ("N-S", "E-W", "U-D")
    tops = [peak(samples) for samples in components] if told is None else [told] * 3
    return "\n".join(
        [
            "STRONG GROUND MOTION RECORDS OF TURKIYE",
            "PLACE                   : NOWHERE",
            "EARTHQUAKE DATE         : 2001/01/01 12:00:00 (GMT)",
            "STATION ID              : 9999",
            "RECORD TIME             : 01/01/2001 11:59:58.000000 (GMT)",
            f"NUMBER OF DATA          : {len(components[0]) if count is None else count}",
            f"SAMPLING INTERVAL (sec) : {step}",
            "RAW PGA VALUES (gal)    : " + " ".join(f"({n}) {top:.6f}" for n, top in zip(names, tops, strict=True)),
            "Copyright NOBODY",
            "       N-S          E-W          U-D",
            *("".join(f"{a:13.6f}" for a in row) for row in zip(*components, strict=True)),
            "",
        ]
    )


def cwa(components=THREE, rate=100, told=None, length=None):
    """Keys behind #, then time and a column a component, in gal."""
    n = len(components[0])
    tops = [(max(s), min(s)) for s in components] if told is None else [(told, -told)] * 3
    return "\n".join(
        [
            "#Earthquake Information",
            "#Origin Time(GMT+08): 2001/01/01-12:00:00",
            "",
            "#Station Information",
            "#StationCode: XXX",
            "#StartTime(GMT+08): 2001/01/01-11:59:58.000",
            f"#RecordLength(sec): {n / rate if length is None else length}",
            f"#SampleRate(Hz): {rate}",
            "#AmplitudeUnit:  gal. DCoffset(corr)",
            *(f"#AmplitudeMAX. {n}: {top:8.3f}~ {low:8.3f}" for n, (top, low) in zip("UNE", tops, strict=True)),
            "#DataSequence: Time U(+); N(+); E(+)",
            "#Data: 4F10.3 ",
            *("".join(f"{x:10.3f}" for x in (i / rate, *row)) for i, row in enumerate(zip(*components, strict=True))),
            "",
        ]
    )
