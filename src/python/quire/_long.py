"""Calls that take long: Ctrl-C ends them within a moment, though the library cannot be stopped in the midst of one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from ._quire import lib

LONG = 1 << 23  # elements: more may take a tenth of a second


def interruptible(function: Callable[..., int], *arguments: Any) -> int:
    """function(*arguments), a call of the library, which another thread makes while this one waits for signals.

    Only the main thread is sent signals. After KeyboardInterrupt the other thread goes on to the end of its call, with
    the arrays that it holds, and nobody looks at its results.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    answer: list[int] = []
    worker = threading.Thread(target=lambda: answer.append(function(*arguments)), name="quire")
    worker.start()
    worker.join()
    return answer[0]


def interruptible_if_long(function: Callable[..., int], elements: int) -> Callable[..., int]:
    """A call of the library that works on so many elements, for whoever is to make it."""
    return partial(interruptible, function) if elements > LONG else function


reduce = partial(interruptible, lib.quire_reduce)
