"""What every part of a scenario is: frozen, closed, and changed only by validating anew."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A part of a scenario.

    Examples
    --------
    >>> class Half(Frozen):
    ...     tokens: int = 1
    >>> Half().changed(tokens=2)
    Half(tokens=2)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    def changed(self, **values: Any) -> Self:
        """Return a copy with some fields changed, validated like any other.

        Raises
        ------
        pydantic.ValidationError
            For a value out of its range; it names the field.
        """
        return type(self).model_validate({**dict(self), **values})
