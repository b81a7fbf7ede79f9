"""A pass by NVIDIA's measured operators, read from tables that are made of them once for a worker.

    pass = rest(new + sequences) + prompt_attention + attention of the sequences     with a prompt
    pass = step(sequences) + what their context adds                                 without one

`rest` is all but attention, and `step` a step of short contexts: straight lines between sizes of tiles with a
jump behind each, so that their knots are those sizes and the ones after them. Attention of a prompt is read
between logarithms, over new and cached tokens; what contexts add over sequences and their mean context.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from itertools import accumulate

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.passes.aiconfigurator import Operators, OperatorTimes, operator_times, operators
from aisim_model.passes.worker import Worker

MOST_TABLES = 256  # kept, 8 kB each


def _tiles(*steps: tuple[int, int]) -> tuple[int, ...]:
    """Return sizes of tiles, each with the size after it: every so many up to a size."""
    found, start = set(range(1, 18)), 16
    for until, every in steps:
        for size in range(start, until + 1, every):
            found |= {size, size + 1}
        start = until
    return tuple(sorted(found))


REST_TOKENS = _tiles((256, 16), (2048, 128), (8192, 256), (32_768, 2048))
STEP_SEQUENCES = _tiles((256, 16), (1024, 128))
PROMPT_TOKENS = (1, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16_384, 32_768)
CACHED_TOKENS = (0, 128, 512, 1024, 2048, 4096, 8192, 16_384, 65_536)
SEQUENCES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024)
CONTEXTS = (16, 256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 12_000, 16_384, 32_768, 65_536, 131_072)
BESIDE = 64.0  # tokens added to the cached ones before their logarithm is taken
LEAST_MS = 1e-6  # of attention, for its logarithm
# as they stand in the numbers
AXES = (
    REST_TOKENS,
    STEP_SEQUENCES,
    tuple(math.log(tokens) for tokens in PROMPT_TOKENS),
    tuple(math.log(tokens + BESIDE) for tokens in CACHED_TOKENS),
    SEQUENCES,
    CONTEXTS,
)
# where each axis, then each table, begins in the numbers
_SIZES = (
    *map(len, AXES),
    len(REST_TOKENS),
    len(STEP_SEQUENCES),
    len(PROMPT_TOKENS) * len(CACHED_TOKENS),
    len(SEQUENCES) * len(CONTEXTS),
    len(SEQUENCES) * len(CONTEXTS),
)
_STARTS = (0, *(int(start) for start in np.cumsum(_SIZES)))
REST_AT, STEP_AT, PROMPT_AT, CACHED_AT, SEQUENCES_AT, CONTEXT_AT = _STARTS[:6]
REST_MS, STEP_MS, PROMPT_LOG_MS, BESIDE_PROMPT_MS, ADDED_MS, COUNT = _STARTS[6:]
N_CACHED, N_CONTEXT = len(CACHED_TOKENS), len(CONTEXTS)


def tabulated(times: OperatorTimes) -> tuple[float, ...]:
    """Return the tables of a worker, one after the other, behind their axes.

    Parameters
    ----------
    times : OperatorTimes
        What is asked: about 700 passes, 30 us each.
    """
    rest = {tokens: times.mixed_parts_ms(tokens, 0, 0, tokens + 1)[0] for tokens in REST_TOKENS}
    prompt = [
        times.prompt_ms(new, cached) - (rest.get(new) or times.mixed_parts_ms(new, 0, 0, new + 1)[0])
        for new in PROMPT_TOKENS
        for cached in CACHED_TOKENS
    ]
    plane = [(running, context) for running in SEQUENCES for context in CONTEXTS]
    beside = [times.mixed_parts_ms(1, 0, running, context)[2] for running, context in plane]
    short = {running: times.step_ms(running, CONTEXTS[0]) for running in {*STEP_SEQUENCES, *SEQUENCES}}
    added = np.array([times.step_ms(running, context) - short[running] for running, context in plane])
    added = np.maximum.accumulate(added.reshape(len(SEQUENCES), len(CONTEXTS)), axis=0).ravel()
    step = _never_falling([short[running] for running in STEP_SEQUENCES])
    return (
        *(float(place) for axis in AXES for place in axis),
        *rest.values(),
        *step,
        *(math.log(max(time_ms, LEAST_MS)) for time_ms in prompt),
        *beside,
        *added.tolist(),
    )


def _never_falling(steps_ms: list[float]) -> list[float]:
    """Return times of steps of ever more sequences of which none is shorter than those before.

    Kernels for one row of a matrix may be slower than those for a few, to which engines pad: Llama-3.1-70B
    on B200 in fp8 has 13.0 ms for one sequence and 8.5 for eight, and 8.0 was measured for four and eight.
    So a step that is more than 5% longer than one of more sequences is cut to that; else the longer counts.

    Examples
    --------
    >>> _never_falling([13.0, 8.0, 8.2, 8.1])
    [8.4, 8.4, 8.4, 8.4]
    """
    least = list(accumulate(reversed(steps_ms), min))[::-1]
    return list(accumulate(map(min, steps_ms, (1.05 * time_ms for time_ms in least)), max))


_tables: OrderedDict[Operators, tuple[float, ...]] = OrderedDict()
_lock = threading.Lock()


def is_tabulated(worker: Operators) -> bool:
    """Return whether a worker's tables are there already."""
    return worker in _tables


def tables_of(worker: Operators) -> tuple[float, ...]:
    """Return a worker's tables, made at the first call.

    Raises
    ------
    InputError
        Where the database has no operators for it, or isn't installed.
    """
    with _lock:
        if (found := _tables.get(worker)) is None:
            found = _tables[worker] = tabulated(operator_times(worker))
            if len(_tables) > MOST_TABLES:
                _tables.popitem(last=False)
        _tables.move_to_end(worker)
        return found


def operators_of(worker: Worker) -> Operators:
    """Return a row's worker as the database knows it; its passes are those of a DP group.

    Raises
    ------
    InputError
        For what the database doesn't have.
    """
    ranks = worker.tensor_parallel * worker.attention_dp
    return operators(
        worker.model_id,
        worker.gpu,
        worker.engine,
        worker.precision,
        worker.tensor_parallel,
        worker.attention_dp,
        (ranks // worker.expert_parallel, worker.expert_parallel),
    )


def numbers(worker: Worker) -> tuple[float, ...]:
    """Return what `pass_ms` takes of a worker.

    Raises
    ------
    InputError
        For what the database doesn't have, or where it isn't installed.
    """
    return tables_of(operators_of(worker))


def between(axis: Floats, at: Values) -> Values:
    """Return where a value lies on an axis: the place before it, and how far it is to the next.

    Beyond the ends the first and the last stretch go on.

    Examples
    --------
    >>> float(between(np.array([0.0, 10.0, 30.0]), 20.0)), float(between(np.array([0.0, 10.0, 30.0]), 50.0))
    (1.5, 3.0)
    """
    segment = np.searchsorted(axis, at, side="right") - 1  # whole numbers
    segment = np.minimum(np.maximum(segment, 0), len(axis) - 2)
    found: Values = segment + (at - axis[segment]) / (axis[segment + 1] - axis[segment])
    return found


def read(table: Floats, place: Values) -> Values:
    """Read a table at a place between its entries."""
    start = np.minimum(np.maximum(np.floor(place), 0.0), len(table) - 2.0)
    index = np.int64(start)
    found: Values = table[index] + (place - start) * (table[index + 1] - table[index])
    return found


def read_plane(table: Floats, columns: int, row: Values, column: Values) -> Values:
    """Read a table of rows and columns between its entries."""
    rows = len(table) // columns
    top = np.minimum(np.maximum(np.floor(row), 0.0), rows - 2.0)
    left = np.minimum(np.maximum(np.floor(column), 0.0), columns - 2.0)
    corner = np.int64(top * columns + left)
    down, right = row - top, column - left
    upper = table[corner] + right * (table[corner + 1] - table[corner])
    corner = corner + columns
    lower = table[corner] + right * (table[corner + 1] - table[corner])
    found: Values = upper + down * (lower - upper)
    return found


def pass_ms(
    numbers: Floats | tuple[Values, ...],
    new_tokens: Values,
    attended_tokens: Values,
    cached_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Time of a pass of prompts, of sequences, or of both in one [ms].

    Parameters
    ----------
    numbers : array or tuple of float
        From `numbers`.
    new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        As in `PassWork`; several prompts have the attention of one of their tokens together.

    Examples
    --------
    Tables of ones: a step of 1 ms and 1 ms that contexts add; a prompt of as much, and e ms of attention.

    >>> axes = [float(place) for axis in AXES for place in axis]
    >>> ones = (*axes, *([1.0] * (COUNT - len(axes))))
    >>> float(pass_ms(ones, 0.0, 0.0, 0.0, 4.0, 4096.0))
    2.0
    >>> round(float(pass_ms(ones, 64.0, 4096.0, 0.0, 4.0, 4096.0)), 3)
    4.718
    """
    row = np.asarray(numbers)
    tokens = np.maximum(new_tokens, 1.0) * 1.0
    running = np.maximum(sequences, 1.0) * 1.0
    beside = between(row[SEQUENCES_AT:CONTEXT_AT], running)
    context = between(row[CONTEXT_AT:REST_MS], np.maximum(context_tokens / running, 1.0))
    rest = read(row[REST_MS:STEP_MS], between(row[REST_AT:STEP_AT], tokens + sequences))
    log_ms = read_plane(
        row[PROMPT_LOG_MS:BESIDE_PROMPT_MS],
        N_CACHED,
        between(row[PROMPT_AT:CACHED_AT], np.log(tokens)),
        between(row[CACHED_AT:SEQUENCES_AT], np.log(cached_tokens + BESIDE)),
    )
    several = attended_tokens / (tokens * (2.0 * cached_tokens + tokens))
    held = np.maximum(read_plane(row[BESIDE_PROMPT_MS:ADDED_MS], N_CONTEXT, beside, context), 0.0)
    prompt_ms = rest + np.exp(log_ms) * several + held * (sequences > 0)
    added = np.maximum(read_plane(row[ADDED_MS:COUNT], N_CONTEXT, beside, context), 0.0)
    step_ms = (read(row[STEP_MS:PROMPT_LOG_MS], between(row[STEP_AT:PROMPT_AT], running)) + added) * (
        sequences > 0
    )
    prompts = new_tokens > 0
    found: Values = prompt_ms * prompts + step_ms * (1 - prompts)
    return found
