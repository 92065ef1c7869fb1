"""Measures what the tests must not: time and size. `python -m bench --out bench.json` writes every figure."""
