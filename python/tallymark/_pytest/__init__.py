"""The pytest plugin's parts: the session, the fixture of pytest-benchmark, the counted program."""
