"""YAML of plain values by libyaml, whose time and depth are bounded before anything is built."""

from __future__ import annotations

import yaml

# as old as PyYAML's own wheels: only a build without libyaml lacks it
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

OPENS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
CLOSES = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def is_within(text: str, most_values: int, most_depth: int) -> bool:
    r"""Say whether a text has at most so many values, nested at most so deep, as far as it can be read.

    Parameters
    ----------
    text : str
        What was pasted.
    most_values, most_depth : int
        Scalars, lists and mappings, each alias counted once; levels of lists and mappings [-].

    Raises
    ------
    yaml.YAMLError
        For what is no YAML.

    Examples
    --------
    >>> is_within("a: [1, 2]", 10, 2), is_within("a: [1, 2]", 10, 1), is_within("a: [1, 2]", 3, 2)
    (True, False, False)
    """
    values, depth = 0, 0
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, CLOSES):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            values += 1
            depth += isinstance(event, OPENS)
            if values > most_values or depth > most_depth:
                return False
    return True
