"""What the tests of `tally serve` share: suites, and a test that cleans up its servers and clients."""

import shutil
import tempfile
import unittest

from client import Server

SUITE = """schema = 1
[[benchmark]]
label = ["sort"]
cpp = 'std::vector<int> w = v; std::sort(w.begin(), w.end()); tally::keep(w);'
py = 'sorted(v)'
[[benchmark.setup]]
cpp = 'std::vector<int> v(200); for (int i = 0; i < 200; ++i) v[i] = i * 7919 % 200;'
py = 'v = [i * 7919 % 200 for i in range(200)]'
[[benchmark]]
label = ["map"]
cpp = 'std::map<int, std::string> m; for (int i = 0; i < 20; ++i) m[i] = std::to_string(i); tally::keep(m);'
py = '{str(i): [i] for i in range(20)}'
[[timer]]
label = ["imports"]
language = "python"
setup = "import json"
stmt = "json.dumps([1, {'a': 2.5}])"
"""
# A region of seconds under Valgrind.
SLOW = "for _ in range(300_000): pass"


class Serving(unittest.TestCase):
    def server(self, *options):
        server = Server(*options)
        self.addCleanup(server.stop)
        return server

    def connect(self, server):
        client = server.connect()
        self.addCleanup(client.close)
        return client

    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path
