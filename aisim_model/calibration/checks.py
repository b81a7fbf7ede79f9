"""What is refused before and after a fit: too little to tell, and units that no link can be meant by."""

from __future__ import annotations

import numpy as np

from aisim_model import catalog
from aisim_model.calibration.measurements import Measurements
from aisim_model.errors import InputError
from aisim_model.units import BYTES_PER_GB, MS_PER_S

SLOWEST_GB_S = 1e-3  # no link that carries KV is slower than a megabyte a second
BYTES_PER_MS_OF_1_GB_S = BYTES_PER_GB / MS_PER_S


def refuse_too_little(measurements: Measurements) -> None:
    """Refuse rows that no line goes through: fewer than two sizes.

    Raises
    ------
    InputError
        For one row, or rows of one size.

    Examples
    --------
    >>> from aisim_model.calibration.measurements import measured
    >>> refuse_too_little(measured([1e6, 1e8], [0.5, 1.5]))
    """
    sizes = np.unique(measurements.bytes_sent)
    remedy = "Add transfers of other sizes, the smallest and the largest that you send."
    if len(measurements) < 2:
        problem = "is too few: alpha and bandwidth are two unknowns"
        raise InputError("measurements", "1 row", problem, remedy)
    if sizes.size < 2:
        given = f"{len(measurements)} rows of {sizes[0]:,.0f} bytes"
        problem = "are of one size, so start-up cost and bandwidth can't be told apart"
        raise InputError("measurements", given, problem, remedy)


def refuse_impossible(measurements: Measurements, lanes: float) -> None:
    """Refuse a row that moved its bytes faster than any link of the catalogue could, and ask after its unit.

    Raises
    ------
    InputError
        It names the first such row.

    Examples
    --------
    >>> from aisim_model.calibration.measurements import measured
    >>> refuse_impossible(measured([1e6, 1e8], [0.5, 1.5]), lanes=1)
    """
    implied = measurements.bytes_sent / measurements.milliseconds / BYTES_PER_MS_OF_1_GB_S
    faulty = np.flatnonzero(implied > fastest_gb_s(lanes))
    if faulty.size:
        row = int(faulty[0])
        given = f"{measurements.bytes_sent[row]:,.0f} bytes in {measurements.milliseconds[row]:g} ms"
        count = f"{faulty.size} of {len(measurements)} rows, first row {measurements.rows[row]}"
        raise _question(count, given, float(implied[row]), lanes)


def refuse_odd_bandwidth(bandwidth_gb_s: float, lanes: float) -> None:
    """Refuse a fitted bandwidth that no link has, too fast or too slow, and ask after the units.

    Raises
    ------
    InputError
        It names the bandwidth and what may have been meant.

    Examples
    --------
    >>> refuse_odd_bandwidth(146.0, lanes=1)
    """
    shown = float(f"{bandwidth_gb_s:.6g}")
    if bandwidth_gb_s > fastest_gb_s(lanes):
        raise _question("bandwidth_gb_s", shown, bandwidth_gb_s, lanes)
    if bandwidth_gb_s < SLOWEST_GB_S:
        problem = "is slower than any link"
        remedy = "Are sizes in MB or GB where bytes are read? Name the unit in the header, as in size_mb."
        raise InputError("bandwidth_gb_s", shown, problem, remedy)


def fastest_gb_s(lanes: float) -> float:
    """Bandwidth of the fastest link of the catalogue, times the links side by side [GB/s].

    Examples
    --------
    >>> fastest_gb_s(2.0) == 2 * fastest_gb_s(1.0)
    True
    """
    return lanes * max(link.nominal_gb_s for link in catalog.links())


def _question(field: str, given: object, gb_s: float, lanes: float) -> InputError:
    fastest = max(catalog.links(), key=lambda link: link.nominal_gb_s)
    side_by_side = f", {lanes:g} side by side" if lanes != 1 else ""
    problem = (
        f"would take {round(gb_s):,} GB/s, above the fastest link of the catalogue ({fastest.name},"
        f" {fastest.nominal_gb_s:,.0f} GB/s{side_by_side})"
    )
    remedy = (
        "Are times in s where ms are read, or sizes in Gb where GB is meant? If the units are right, say how"
        " many links a transfer used side by side."
    )
    return InputError(field, given, problem, remedy)
