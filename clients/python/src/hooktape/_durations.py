"""Durations in the form that Hooktape uses everywhere."""

import json
import math
import re
from datetime import timedelta
from typing import Union

Duration = Union[str, float, timedelta]
"""``"500ms"``, ``"30s"``, ``"15m"``, ``"12h"``, ``"7d"``, a ``timedelta``, or a number of seconds."""

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(duration: Duration, option: str) -> float:
    """Raises ValueError that names the invalid option."""
    if isinstance(duration, timedelta):
        duration = duration.total_seconds()
    if isinstance(duration, str):
        match = re.fullmatch(r"([0-9]{1,9})(ms|[smhd])", duration)
        if match:
            return int(match[1]) * _SECONDS[match[2]]
    elif not isinstance(duration, bool) and math.isfinite(duration) and duration >= 0:
        return float(duration)
    raise ValueError(f'{option}: {json.dumps(duration)} is not a duration such as "30s" or "500ms"')


def duration_text(of_seconds: float) -> str:
    """``1.5 s``, ``300 ms``"""
    if of_seconds < 1:
        return f"{round(of_seconds * 1000)} ms"
    return f"{round(of_seconds, 1):g} s"
