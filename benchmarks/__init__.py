"""One command a claim: ``python -m benchmarks.NAME`` prints a table and writes JSON where ``--json FILE`` says."""
