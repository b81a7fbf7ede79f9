"""A deployment as people have it, a manifest or a launch command, read into rows of a scenario.

Nothing is run. Every flag is listed: used, irrelevant, or not modelled.
"""

from __future__ import annotations

from typing import Any

from aisim_model.errors import InputError
from aisim_model.manifests import shell
from aisim_model.manifests.assembly import gpu_named, rows_of
from aisim_model.manifests.documents import documents, text_of
from aisim_model.manifests.formats import FORMATS
from aisim_model.manifests.launch import workers_of
from aisim_model.manifests.parts import Report


def read_deployment(content: str | bytes) -> dict[str, Any]:
    """Read what is pasted.

    Parameters
    ----------
    content : str or bytes
        YAML of a manifest, or a text with launch commands in it, Markdown too.

    Returns
    -------
    dict
        ``rows``, each with row fields under their scenario names and what a row can't hold yet; ``flags``,
        each with ``flag``, ``value``, ``used_as`` (None: left out) and ``why``.

    Raises
    ------
    InputError
        For what is too large, no YAML, or starts no engine that is known.

    Examples
    --------
    >>> row = read_deployment("vllm serve Qwen/Qwen3-8B -tp 2 -dp 4")["rows"][0]
    >>> row["model_id"], row["prefill_tp"], row["gpus"]
    ('qwen3-8b', 2, 8)
    """
    text = text_of(content)
    report = Report()
    refused: InputError | None = None
    docs: list[Any] = []
    try:
        docs = [doc for doc in documents(text) if doc is not None]
    except InputError as error:  # a command is often no YAML
        refused = error
    reader = next((one for one in FORMATS if docs and one.matches(docs)), None)
    if reader is not None:
        try:
            workers = reader.read(docs, report)
        except (AttributeError, KeyError, TypeError):  # a list where a mapping belongs, or the like
            kind = reader.__name__.rsplit(".", 1)[-1]
            problem = "has a part of another shape than the format's"
            raise InputError("deployment", kind, problem, "Check its indentation.") from None
        for index, doc in enumerate(docs):
            report.rest(doc, (index,))
    else:
        workers = []
        seen: list[tuple[Any, ...]] = []
        for block in shell.blocks(text):
            for worker in workers_of(block, report):
                key = (worker.engine, worker.role, str(worker.settings))
                if key in seen:
                    report.say("command", "", None, "says the same as one before, counted once")
                else:
                    workers.append(worker)
                    seen.append(key)
        if not workers and refused is not None:
            raise refused
    rows = rows_of(workers, report, gpu_named(text))
    return {"rows": rows, "flags": [flag._asdict() for flag in report.flags]}
