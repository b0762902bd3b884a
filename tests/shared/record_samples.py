"""Record files written from the published descriptions of their formats, with numbers made up here.

Every writer takes samples and gives the text of a file. ``decimal`` makes samples that survive being printed, so that
what is read back can be compared bit by bit.
"""

import json
import math
from decimal import Decimal

UNKNOWN_INT, UNKNOWN_REAL = -999, -999.0


def decimal(mantissa, places=7, exponent=0):
    """±0.ddddddd·10^exponent, the number that Fortran's E15.7 prints and reads back."""
    return float(Decimal(mantissa) * Decimal(10) ** (exponent - places))


SAMPLES = [
    decimal(m, exponent=e)
    for m, e in (
        (1234567, -1),
        (-7654321, 0),
        (9999999, 0),
        (-1000001, -4),
        (0, 0),
        (5000000, -2),
        (-3333333, 0),
        (2718281, -1),
        (-1414213, 0),
        (1732050, -3),
        (6180339, 0),
        (-5772156, -2),
        (3141592, 0),
    )
]
# What F10.5 can print: at most five decimals.
FIXED = [round(a, 5) for a in SAMPLES]


def fortran_e(x, digits=7):
    """As E15.7 prints: 0.1234567E-01."""
    if x == 0:
        return "0." + "0" * digits + "E+00"
    sign, figures, exponent = Decimal(repr(x)).as_tuple()
    power = len(figures) + exponent
    text = "".join(map(str, figures)).ljust(digits, "0")
    assert len(text.rstrip("0")) <= digits, x
    return f"{'-' if sign else ''}0.{text[:digits]}E{power:+03d}"


def rows(words, per_line, width):
    """Words in fields of a width, so many a line."""
    cells = [word.rjust(width) for word in words]
    assert all(len(cell) == width for cell in cells)
    return ["".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]


AT2_LINES = {
    "oldest": "{n:6d}  {dt}  NPTS, DT",
    "old": " NPTS= {n}, DT= {dt} SEC",
    "new": "NPTS= {n:6d}, DT=   {dt} SEC,",
}


def at2(samples=SAMPLES, dt=".00500", style="new", unit="G"):
    """Four lines, then five values a line."""
    first = {
        "oldest": "PACIFIC ENGINEERING AND ANALYSIS STRONG-MOTION DATA",
        "old": "PEER STRONG MOTION DATABASE RECORD. PROCESSING BY PACIFIC ENGINEERING.",
        "new": "PEER NGA STRONG MOTION DATABASE RECORD",
    }[style]
    third = "ACCELERATION TIME HISTORY IN UNITS OF" if style != "new" else "ACCELERATION TIME SERIES IN UNITS OF"
    return "\n".join(
        [
            first,
            "Nowhere-02, 5/19/1999, Made Up Array #9, 180",
            f"{third} {unit}",
            AT2_LINES[style].format(n=len(samples), dt=dt),
            *rows([fortran_e(a) for a in samples], 5, 15),
            "",
        ]
    )


def _header(values, name, per_line, width, format_, spell):
    lines = rows([spell(value) for value in values], per_line, width)
    return [f" {len(values)} {name}-header values follow on  {len(lines)} lines, Format= ({format_})", *lines]


def cosmos_channel(
    samples=FIXED,
    *,
    component="90 Deg",
    channel=1,
    volume=1,
    quantity=1,
    unit="cm/sec2",
    code=4,
    header_code=None,
    step=0.005,
    format_="8F10.5",
    comments=("made up",),
    text_lines=13,
    peak=None,
    real_peak=UNKNOWN_REAL,
):
    """One channel: text, integers, reals, comments, data, end."""
    title = {1: "Uncorrected acceleration", 2: "Corrected acceleration"}[volume]
    words = [
        f"{title}  (Format v01.20 with {text_lines} text lines) made up",
        "Record of Nowhere Earthquake of Mon Jan 1, 2001 12:00 UTC",
        "Hypocenter: 38.000 -122.000 H= 10km M=6.0",
        "Origin: 01/01/2001, 12:00:00.0 UTC",
        "Statn No: 02-  999  Code:XX-0999   XXXX Nowhere; Fire Station",
        "Coords: 38.0000 -122.0000  Site geology:Unknown",
        "Recorder: Made up  (  3 Chns of  3 at Sta)",
        "Rcrd start time:01/01/2001, 12:00:05.000 UTC (Q=5) RcrdId:XX.0999",
        f"Sta Chan {channel:3d}: {component} (Rcrdr Chan {channel:2d}) Location:Ground floor",
        f"Raw record length = {len(samples) * step:.3f} sec, Uncor max = 1.000",
        f"Processed: 01/02/2001 Max = {max(map(abs, samples)) if peak is None else peak:.3f}",
        "Record filtered below  0.10 Hz (periods over  10.0 secs)  and above 40.0 Hz",
        "Values used when parameter or data value is unknown/unspecified:   -999, -999.0",
    ]
    words += ["More words"] * (text_lines - len(words))
    integers, reals = [UNKNOWN_INT] * 100, [UNKNOWN_REAL] * 100
    integers[:3] = volume, quantity, code if header_code is None else header_code
    integers[49] = channel
    reals[33], reals[61:64] = step, (1000 * step, len(samples) * step, real_peak)
    per_line, width = (int(part) for part in format_.split(".")[0].upper().replace("I", "F").split("F"))
    spelled = [f"{a:.{format_.split('.')[1]}f}" if "." in format_ else str(int(a)) for a in samples]
    said = f"units={unit}({code:02d})" if code is not None else f"units={unit}"
    return [
        *words,
        *_header(integers, "Integer", 10, 8, "10I8", str),
        *_header(reals, "Real", 5, 15, "5F15.6", lambda x: f"{x:.6f}"),
        f' {len(comments)} Comment line(s) follow, each starting with a "|":',
        *(f"| {line}" for line in comments),
        f"{len(samples):8d} acceleration pts, approx {int(len(samples) * step):4d} secs, {said},Format=({format_})",
        *rows(spelled, per_line, width),
        f"End-of-data for Chan {channel:3d} acceleration",
    ]


def cosmos(*channels):
    """A file of channels, one by default."""
    return "\n".join([line for channel in channels or (cosmos_channel(),) for line in channel] + [""])


def csmip_v2(channels=(("Chan  1: 360 Deg", FIXED), ("Chan  2: Up", FIXED)), step=".005", peak=None):
    """Headers, accelerations, velocities, displacements; channel after channel. Long neighbours touch."""
    uncorrected = "                                     Uncor Max  =   .079 g , at  30.590 sec."
    peaks = [] if peak is None else [uncorrected, f"Peak acceleration = {peak}    cm/sec/sec  at   30.585   sec."]
    lines = []
    for place, (name, samples) in enumerate(channels, start=1):
        lines += [
            f"Corrected accelerogram   99999-X-01001.01       {name}     from",
            "Uncorrected Accelerogram Data",
            *peaks,
            "Record of Mon Jan  1, 2001 12:00:00.0 PST",
            "Station No. 99999   38.000N, 122.000W   (2 Chns of  2)",
            f"{name}      ",
            *["    1  100    1    3    3  200"] * 6,
            *["  .0108814  .6700000 66.000000"] * 3,
        ]
        for quantity, unit in (("accel", "cm/sec2"), ("veloc", "cm/sec"), ("displ", "cm")):
            lines += [
                f" {len(samples)} points of {quantity} data equally spaced at  {step} sec, in {unit}. (8f10.5)",
                *rows([f"{a:.5f}" for a in samples], 8, 10),
            ]
        lines.append(f"/&  ----------  End of data for channel  {place}  ----------")
    return "\n".join([*lines, ""])


def csmip_v1(
    channels=(("Chan  1:  90 Deg", FIXED), ("Chan  2: Up", FIXED), ("Chan  3: 360 Deg", FIXED)), rate=100, peak=None
):
    """Uncorrected: headers, then accelerations in g at a rate."""
    peaks = [] if peak is None else [f"Units of uncor data are sec and g .        Max  =  {peak} g , at  14.830 sec."]
    lines = []
    for place, (name, samples) in enumerate(channels, start=1):
        lines += [
            "Uncorrected Accelerogram Data             Processed: 01/02/01",
            "Rcrd of Mon Jan  1, 2001 12:00:00.0 PST",
            "Station Id. XXX     38.000N, 122.000W",
            name + " " * 60,
            *peaks,
            *["    1  100    1    3    3  100 -999"] * 5,
            f" {len(samples)} Accelerogram points at {rate} pts/sec in units of g.       Format: (8f9.5)",
            *rows([f"{a:.5f}" for a in samples], 8, 9),
            f"/&  ----------  End of Data for Station Channel   {place}  ----------",
        ]
    return "\n".join([*lines, ""])


ESM_HEADER = """EVENT_NAME: NOWHERE
EVENT_ID: XX-2001-0001
EVENT_DATE_YYYYMMDD: 20010101
EVENT_TIME_HHMMSS: 120000
EVENT_LATITUDE_DEGREE: 42.0000
EVENT_LONGITUDE_DEGREE: 13.0000
EVENT_DEPTH_KM: 8.1
HYPOCENTER_REFERENCE: made up
MAGNITUDE_W: 6.0
MAGNITUDE_W_REFERENCE: made up
MAGNITUDE_L: 5.9
MAGNITUDE_L_REFERENCE: made up
FOCAL_MECHANISM: Normal faulting
NETWORK: XX
STATION_CODE: NWH
STATION_NAME: NOWHERE
STATION_LATITUDE_DEGREE: 42.100000
STATION_LONGITUDE_DEGREE: 13.100000
STATION_ELEVATION_M: 500
LOCATION:
SENSOR_DEPTH_M: 0
VS30_M/S: 670
SITE_CLASSIFICATION_EC8: B
MORPHOLOGIC_CLASSIFICATION:
EPICENTRAL_DISTANCE_KM: 13.0
EARTHQUAKE_BACKAZIMUTH_DEGREE: 214.0
DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS: 20010101_120005.000
DATE_TIME_FIRST_SAMPLE_PRECISION: milliseconds
SAMPLING_INTERVAL_S: {step}
NDATA: {count}
DURATION_S: {duration:.6f}
STREAM: {stream}
UNITS: {unit}
INSTRUMENT: sensor = made up | digitizer = made up
INSTRUMENT_ANALOG/DIGITAL: D
INSTRUMENTAL_FREQUENCY_HZ:
INSTRUMENTAL_DAMPING:
FULL_SCALE_G: 2.0
N_BIT_DIGITAL_CONVERTER: 24
PGA_CM/S^2: -1.000000
TIME_PGA_S: 1.000000
BASELINE_CORRECTION: BASELINE REMOVED
FILTER_TYPE: BUTTERWORTH
FILTER_ORDER: 2
LOW_CUT_FREQUENCY_HZ: 0.100
HIGH_CUT_FREQUENCY_HZ: 40.000
LATE/NORMAL_TRIGGERED: NT
DATABASE_VERSION: 1.0
HEADER_FORMAT: DYNA 1.2
DATA_TYPE: {quantity}
PROCESSING: manual
DATA_TIMESTAMP_YYYYMMDD_HHMMSS: 20010102_000000.000
DATA_LICENSE: U (unknown license)
DATA_CITATION: made up
DATA_CREATOR: made up
ORIGINAL_DATA_MEDIATOR_CITATION: made up
ORIGINAL_DATA_MEDIATOR: made up
ORIGINAL_DATA_CREATOR_CITATION: made up
ORIGINAL_DATA_CREATOR: made up
USER1: made up
USER2:
USER3:
USER4:
USER5:"""


def esm(samples=FIXED, step="0.005000", stream="HNE", unit="cm/s^2", quantity="ACCELERATION"):
    """64 lines of keys, then one value a line."""
    head = ESM_HEADER.format(
        step=step, count=len(samples), duration=len(samples) * float(step), stream=stream, unit=unit, quantity=quantity
    )
    assert head.count("\n") == 63
    return "\n".join([head, *(f"{a:12.6f}" for a in samples), ""])


COUNTS = [8009, 9006, 7998, -8001, 8009, 8007, 8002, 8005, 7990, 1234567]


def knet_gal(counts=COUNTS, raw=False):
    """What the network makes of its counts: gal, without the mean unless raw."""
    gal = [n * 3920 / 6182761 for n in counts]
    mean = 0.0 if raw else math.fsum(gal) / len(gal)
    return [a - mean for a in gal]


def knet(counts=COUNTS, frequency=100, duration=None, direction="N-S", scale="3920(gal)/6182761", peak=None):
    """17 lines of labels, then eight counts a line; the peak is that of the samples without their mean."""
    seconds = len(counts) / frequency if duration is None else duration
    peak = f"{max(map(abs, knet_gal(counts))):.3f}" if peak is None else peak
    labels = (
        ("Origin Time", "2001/01/18 23:25:00"),
        ("Lat.", "37.798"),
        ("Lon.", "142.200"),
        ("Depth. (km)", "36"),
        ("Mag.", "5.7"),
        ("Station Code", "XYZ002"),
        ("Station Lat.", "38.7262"),
        ("Station Lon.", "141.5109"),
        ("Station Height(m)", "79"),
        ("Record Time", "2001/01/18 23:25:46"),
        ("Sampling Freq(Hz)", f"{frequency}Hz"),
        ("Duration Time(s)", f"{seconds:g}"),
        ("Dir.", direction),
        ("Scale Factor", scale),
        ("Max. Acc. (gal)", peak),
        ("Last Correction", "2001/01/18 23:25:31"),
        ("Memo.", ""),
    )
    return "\n".join([*(f"{label:18}{value}" for label, value in labels), *rows([str(n) for n in counts], 8, 9), ""])


def simcenter(samples=SAMPLES, step=0.005, units=None, names=("accel_X",), factor=None):
    """One event, one series a direction."""
    series = [
        {"name": name, "type": "Value", "dT": step, "data": samples} | ({} if factor is None else {"factor": factor})
        for name in names
    ]
    event = {
        "name": "made up",
        "type": "Seismic",
        "dT": step,
        "numSteps": len(samples),
        "timeSeries": series,
        "pattern": [{"type": "UniformAcceleration", "timeSeries": name, "dof": i + 1} for i, name in enumerate(names)],
    }
    return json.dumps(
        {"Events": [event | ({} if units is None else {"units": units})], "randomVariables": []}, indent=1
    )


def columns(samples=SAMPLES, step=0.005, names="time_s,acceleration_g"):
    """Time and acceleration."""
    return "\n".join([names, *(f"{round(i * step, 9)!r},{a!r}" for i, a in enumerate(samples)), ""])
