"""Speculative decoding of a row: drafts of a step, and the tokens that a step gives on average."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import Field, model_validator

from aisim_model.errors import InputError
from aisim_model.scenario.frozen import Frozen

# tokens a step for 1, 2... drafts by model of the catalogue, on coding prompts (SPEED-Bench), thinking on
# (github.com/SemiAnalysisAI/InferenceX golden_al_distribution/*.yaml)
ACCEPTED: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "glm-5.2": (1.84, 2.50, 2.99, 3.33, 3.61, 3.78, 3.91, 4.06),
        "kimi-k2.5": (1.83, 2.43, 2.88, 3.24, 3.46, 3.62, 3.71, 3.77),
        "qwen3.5-397b-a17b": (1.93, 2.73, 3.39, 3.97, 4.41, 4.80, 5.04, 5.21),
    }
)


class Speculation(Frozen):
    """The fields of a row that say what its decode workers draft."""

    draft_tokens: Annotated[int, Field(ge=0, le=16)] = Field(
        0, title="Drafts", description="Tokens drafted ahead in each decode step; 0 decodes one by one."
    )
    accepted_tokens: Annotated[float, Field(ge=1, le=17, allow_inf_nan=False)] | None = Field(
        None, title="Tokens a step", description="That a step with drafts gives on average, its own included."
    )
    acceptance_rate: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        None, title="Acceptance rate", description="Of a draft whose predecessors were accepted."
    )

    @model_validator(mode="after")
    def _within_drafts(self) -> Self:
        if self.draft_tokens and (self.accepted_tokens or 1.0) > self.draft_tokens + 1:
            problem = f"is more than a step of {self.draft_tokens} drafts can give"
            remedy = f"Give at most {self.draft_tokens + 1}."
            raise InputError("accepted_tokens", self.accepted_tokens, problem, remedy)
        return self

    def tokens_per_step(self, model_id: str | None = None) -> float:
        """Tokens that a decode step gives on average [-]: given, by the rate, or as measured of the model.

        With a rate p they are ``1 + p + ... + p^k``.

        Parameters
        ----------
        model_id : str or None
            Of the catalogue, for the measured ones.

        Raises
        ------
        InputError
            Where drafts are asked for and nothing says how many are accepted.

        Examples
        --------
        >>> Speculation(draft_tokens=2, acceptance_rate=0.5).tokens_per_step()
        1.75
        >>> Speculation(draft_tokens=3).tokens_per_step("glm-5.2"), Speculation().tokens_per_step()
        (2.99, 1.0)
        """
        if not self.draft_tokens:
            return 1.0
        if self.accepted_tokens is not None:
            return self.accepted_tokens
        if self.acceptance_rate is not None:
            return sum(self.acceptance_rate**place for place in range(self.draft_tokens + 1))
        measured = ACCEPTED.get(model_id or "", ())
        if self.draft_tokens > len(measured):
            problem = "needs to know how many of them are accepted, which was not measured of this model"
            remedy = "Give accepted_tokens (tokens a step), or acceptance_rate."
            raise InputError("draft_tokens", self.draft_tokens, problem, remedy)
        return measured[self.draft_tokens - 1]
