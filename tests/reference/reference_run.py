"""Run cases on the reference engine, in its own environment: JSON on standard input, JSON out."""

import json
import sys
import tempfile
from pathlib import Path


def run(case):
    """Return the engine's records of one case, or what it says where it refuses."""
    # here and not above: who collects tests imports this file without having the engine
    from dynamo._core import run_mocker_trace_replay

    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.jsonl"
        trace.write_text("".join(json.dumps(row) + "\n" for row in case["rows"]))
        try:
            replay = run_mocker_trace_replay([str(trace)], capture_per_request=True, **case["arguments"])
        except Exception as error:  # the engine raises no narrower class
            return {"refused": str(error)}
    return {"records": replay.per_request, "summary": replay.summary}


if __name__ == "__main__":
    json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)
