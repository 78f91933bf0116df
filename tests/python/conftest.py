from false_cupy import cp  # noqa: F401  # the fixture
