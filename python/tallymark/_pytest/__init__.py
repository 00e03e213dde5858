"""What the pytest plugin is made of: the session, the fixture of pytest-benchmark, the counted program."""
