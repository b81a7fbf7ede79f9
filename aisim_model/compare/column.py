"""What a column of a table is: its name, label, unit, digits and help."""

from __future__ import annotations

from dataclasses import dataclass

PERCENT = "%"


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    name : str
        As in a CSV or JSON, its unit at its end.
    label : str
        For people; empty where no table shows it.
    unit : str
        Of what is shown; ``%`` for a share that is held as a fraction.
    digits : int or None
        Significant digits that are shown [-]; all of them where None.
    tables : tuple of str
        Which tables show it.
    help : str
        What a header's tooltip says.
    shown_in : float
        What the value is divided by to be shown in its unit [-].
    signed : bool
        Whether a value above 0 is shown with its sign.
    wide : bool
        Whether it holds sentences.
    bar : bool
        Whether a share is drawn as a bar.
    """

    name: str
    label: str = ""
    unit: str = ""
    digits: int | None = None
    tables: tuple[str, ...] = ()
    help: str = ""
    shown_in: float = 1.0
    signed: bool = False
    wide: bool = False
    bar: bool = False

    @property
    def title(self) -> str:
        """Label with its unit, as it stands above a column."""
        return f"{self.label} [{self.unit}]" if self.unit not in ("", PERCENT) else self.label


def share(name: str, label: str, *tables: str, digits: int = 3, help: str = "", bar: bool = False) -> Column:
    """Return the column of a fraction that is shown in percent."""
    return Column(name, label, PERCENT, digits, tables, help, shown_in=0.01, bar=bar)


def relative_error(name: str, label: str, *tables: str, help: str = "") -> Column:
    """Return the column of a relative error."""
    return Column(name, label, PERCENT, 3, tables, help, shown_in=0.01, signed=True)
