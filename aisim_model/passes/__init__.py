"""Time of one pass of a worker: rival models, one way to ask them.

A pass works on new tokens of prompts and on one token of each decoding sequence. `PassTime.pass_ms` is what
estimate, replay and evidence all ask; a mixed pass is one call.
"""

from aisim_model.passes.pass_time import PassModel, PassTime, fixed, polynomial, rate, table
from aisim_model.passes.work import PassWork

__all__ = ["PassModel", "PassTime", "PassWork", "fixed", "polynomial", "rate", "table"]
