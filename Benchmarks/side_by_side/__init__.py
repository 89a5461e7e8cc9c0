"""The fields of `Benchmarks/side_by_side.py`: what is measured, beside whom, and how it is shown."""
