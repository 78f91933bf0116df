"""The binding that cffi makes of src/python/interface.h."""

from typing import Any

ffi: Any
lib: Any
