"""How much a run of the tests tries: what `RunLength` is to those in Swift."""

import os


def count(usual, long):
    """A number of random cases. `TEST_CASES` is another one, for a run of a single test."""
    return int(os.environ.get("TEST_CASES", long if "TEST_LONG" in os.environ else usual))
