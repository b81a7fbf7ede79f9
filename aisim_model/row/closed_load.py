"""A row in a closed loop: so many requests in flight, each followed by the next as it ends.

Arrivals follow from Little's law, ``in flight = arrivals x (TTFT + (output - 1) x ITL)``, so every figure is
finite where a request ends at all: what a row can't carry waits in the loop.

- Aggregated, ``B`` requests a worker: ``ITL = step(B) + (B - 1) / output x (pass(prompt, B) - step(B))`` and
  ``TTFT = pass(prompt, B - 1) x (1 + 0.05 (B - 1)) + step / 2``. A run starts with all of them at once, a
  tenth of its requests where ten follow each other, which wait for half of the others: hence 0.05.
- Split: a request meets what the others make of the row, so its waits are those of arrivals at random at
  ``(c - 1) / c`` of the rate (the arrival theorem of closed networks), for prefill at least those of the
  start; a step is one of all that decode.
  In a loop of nearly equal requests prompts come more evenly than at random, so TTFT is up to a third too
  long where prefill is nearly full, and never by more than a tenth too short.
- What is in flight beyond what the row has room for, or carries, waits for the resource that is full.

Sources: Little, "A proof for the queuing formula L = lambda W", Operations Research 9, 1961; Reiser and
Lavenberg, "Mean-value analysis of closed multichain queuing networks", JACM 27, 1980, and Schweitzer's
approximation of it, 1979.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from aisim_model.arrays import either, endless, larger, per, smaller
from aisim_model.passes.constants import values
from aisim_model.roots import root
from aisim_model.row.load import Closed, Load, share_of_carried, under_load
from aisim_model.row.service import Service
from aisim_model.row.split_load import Contention, split_parts
from aisim_model.scenario import Workload
from aisim_model.units import MS_PER_S

LEAST_STEP_MS = 1e-9  # a shorter one keeps no sequence running
TOO_MANY = 1e300  # of requests in flight: what more than all of a resource would hold


def asked_load(served: Service, workload: Workload, contention: Contention = "fifo") -> Load:
    """Estimate a row at what its workload asks: so many in flight, or a rate of arrivals.

    Examples
    --------
    >>> from aisim_model.row.load import service
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> asked = Workload(requests_in_flight=4)
    >>> found = asked_load(service(resolve(asked, Deployment(id="a", name="a")), 340), asked)
    >>> round(found.arrivals_per_s, 3), round(found.ttft_ms), round(found.itl_ms, 2)
    (1.03, 840, 8.97)
    """
    if workload.requests_in_flight:
        return in_flight(served, float(workload.requests_in_flight), contention)
    return under_load(served, workload.arrivals_per_s, contention=contention)


def in_flight(served: Service, concurrency: Any, contention: Contention = "fifo") -> Load:
    """Estimate a row that always has so many requests in flight.

    Parameters
    ----------
    served : Service
        The row, from `service`; or many, stacked, which gives arrays.
    concurrency : float or array
        Requests in flight, of all workers together; at least 1 [-].
    contention : {"fifo", "none", "fair"}
        How transfers share a link.

    Examples
    --------
    Little's law:

    >>> from aisim_model.row.load import service
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> found = in_flight(service(resolve(Workload(), Deployment(id="a", name="a")), 340), 64.0)
    >>> round(found.arrivals_per_s * (found.ttft_ms + 339 * found.itl_ms) / 1000, 9)
    64.0
    """
    with np.errstate(all="ignore"):  # of rows that don't fit
        find = _split if served.x.row.split else _aggregated
        return find(served, concurrency, contention)


def _aggregated(served: Service, concurrency: Any, _: Contention) -> Load:
    workers, prompt, output = served.prefill_workers, served.x.prompt_tokens, served.output_tokens
    halfway = prompt + output / 2.0
    each = larger(concurrency / workers, 1.0)
    batch = smaller(each, larger(served.most_sequences, 1.0))
    step_ms = served.step_of_ms(batch)
    passes = served.passes_beside(0.0)

    def prompt_ms(beside: Any) -> Any:
        times = served.prefill_times
        return times.prompt_ms(prompt, served.cached_tokens, served.pass_tokens, beside, halfway)

    longer_ms = larger(prompt_ms(batch) - passes * step_ms, 0.0)
    itl_ms = step_ms + either(served.steps == 0.0, 0.0, (batch - 1.0) / output * longer_ms)
    prefill_ms = prompt_ms(batch - 1.0)
    burst_ms = values()["burst_share"] * (batch - 1.0) * prefill_ms
    half_ms = either(each > 1.0, step_ms / 2.0, 0.0)
    whole_ms = prefill_ms + burst_ms + half_ms + (output - 1.0) * itl_ms
    # a worker is never busier than all of the time
    work_ms = longer_ms + (output - 1.0) * step_ms / batch
    carried_per_s = per(workers * MS_PER_S, work_ms)
    room_per_s = per(smaller(concurrency, batch * workers) * MS_PER_S, whole_ms)
    arrivals_per_s = smaller(room_per_s, carried_per_s)
    wait_ms = larger(per(concurrency * MS_PER_S, arrivals_per_s) - whole_ms, 0.0)
    fits = served.most_sequences > 0.0
    prefilling = arrivals_per_s / MS_PER_S * longer_ms / workers
    busy = smaller(concurrency / workers, 1.0)
    idle = served.idle
    return Load(
        either(fits, per(concurrency * MS_PER_S, whole_ms + wait_ms), 0.0),
        either(fits, prefilling, 0.0),
        either(fits, 0.0, 0.0),
        either(fits, larger(busy - prefilling, 0.0), 0.0),
        False,
        replace(
            idle,
            queue_ms=either(fits, burst_ms + half_ms + wait_ms, math.inf),
            prefill_ms=either(fits, prefill_ms, idle.prefill_ms),
        ),
        either(fits, itl_ms, math.inf),
        either(fits, step_ms + per(longer_ms, passes, 0.0), math.inf),
        either(fits, smaller(concurrency / workers, batch), 0.0),
        Closed(concurrency, arrivals_per_s, wait_ms, burst_ms),
    )


def _split(served: Service, concurrency: Any, contention: Contention) -> Load:
    others = (concurrency - 1.0) / concurrency
    workers, steps = served.decode_workers, served.steps
    most = larger(served.most_sequences, 1.0)
    sent_per_s = either(endless(served.link_per_s), math.inf, served.link_per_s)
    most_per_s = smaller(served.prefill_per_s, sent_per_s)
    before_ms = served.prefill_ms + served.x.orchestration_ms + served.exposed_ms
    from_prefill = served.x.profile.first_token_from == "prefill"
    decodes = steps > 0.0 and bool(np.any(served.step_of_ms(1.0) > LEAST_STEP_MS))

    each = smaller(concurrency, most * workers) / served.prefill_workers
    burst_ms = values()["burst_share"] * larger(each - 1.0, 0.0) * served.prefill_ms

    def step_ms(batch: Any) -> Any:
        return served.step_of_ms(smaller(1.0 + others * batch, most))

    def arrivals(at: Any) -> Any:
        return smaller(_rate(at), most_per_s)

    def _rate(at: Any) -> Any:
        return per(at * workers * MS_PER_S, steps * step_ms(at)) if decodes else at

    def found(at: Any) -> tuple[Any, Any]:
        batch = at if decodes else 0.0 * at
        parts = split_parts(served, others * arrivals(at), others * batch, contention)
        parts = replace(parts, queue_ms=larger(parts.queue_ms, burst_ms))
        if not from_prefill:
            return parts, parts.ttft_ms + (served.output_tokens - 1.0) * step_ms(batch)
        waits_ms = larger(parts.ttft_ms - served.idle.ttft_ms, 0.0)
        return parts, before_ms + waits_ms + steps * step_ms(batch)

    def beyond(at: Any) -> Any:
        over = _rate(at) > most_per_s
        return either(over, TOO_MANY, arrivals(at) * found(at)[1] / MS_PER_S) - concurrency

    if decodes:  # those in their handoff need room beside those that decode
        held = per(most, 1.0 + per(served.reserved_ms, steps * served.step_of_ms(most)))
        end = either(concurrency <= most * workers, concurrency, held * workers) / workers
    else:
        end = smaller(most_per_s, TOO_MANY) + 0.0 * concurrency
    roomy = beyond(end) > 0.0
    at = either(roomy, root(beyond, 0.0 * end, end), end) if np.any(roomy) else end
    batch = at if decodes else 0.0 * at
    parts, whole_ms = found(at)
    per_s = smaller(arrivals(at), per(concurrency * MS_PER_S, whole_ms))
    wait_ms = larger(per(concurrency * MS_PER_S, per_s) - whole_ms, 0.0)
    fits = (served.most_sequences > 0.0) & np.logical_not(endless(served.sent_ms))
    by_room, by_link = np.logical_not(roomy), sent_per_s < served.prefill_per_s
    shown_ms = either(by_room, not from_prefill, True) * wait_ms  # a wait that TTFT shows
    parts = replace(
        parts,
        queue_ms=either(fits, parts.queue_ms + either(by_room | by_link, 0.0, wait_ms), math.inf),
        link_queue_ms=parts.link_queue_ms + either(by_link & np.logical_not(by_room), shown_ms, 0.0),
        reservation_ms=parts.reservation_ms + either(by_room, shown_ms, 0.0),
    )
    itl_ms = step_ms(batch)
    return Load(
        either(fits, per(concurrency * MS_PER_S, whole_ms + wait_ms), 0.0),
        smaller(share_of_carried(per_s, served.prefill_per_s), 1.0),
        smaller(share_of_carried(per_s, served.link_per_s), 1.0),
        smaller(share_of_carried(per_s, served.decode_per_s), 1.0),
        True,
        parts,
        either(fits, itl_ms, math.inf),
        either(fits, itl_ms, math.inf),
        either(fits, batch, 0.0),
        Closed(concurrency, others * per_s, wait_ms, 0.0 * wait_ms),
    )
