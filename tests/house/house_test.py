#!/usr/bin/env python3
"""Do the house checks notice what they are for? Each plants one breach in an empty tree and must find exactly it."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import file_rules  # noqa: E402
import include_walls  # noqa: E402
import isa_symbols  # noqa: E402


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_walls(self):
        cases = [
            ("server/core/math/a.h", '#include "server/core/tree/model.h"'),  # upwards
            ("server/core/dynamics/a.h", "#include <absl/status/status.h>"),  # core is Eigen alone
            ("server/robots/a.cc", "#include <grpcpp/grpcpp.h>"),
            ("client/planning/a.cc", '#include "torqued/v1/types.pb.h"'),
            ("client/torqued/a.cc", '#include "server/service/a.h"'),
            ("server/elsewhere/a.cc", "#include <vector>"),  # no such layer
        ]
        for name, line in cases:
            self.plant(name, line + "\n")
        found = list(include_walls.breaches(self.root))
        self.assertEqual(len(found), len(cases), found)
        for name, _ in cases:
            self.assertTrue(any(f.startswith(name) for f in found), name)

    def test_walls_let_pass(self):
        self.plant("server/service/a.cc", "#include <grpcpp/grpcpp.h>\n#include \"server/core/tree/model.h\"\n")
        self.plant("server/core/dynamics/a.h", "#include <Eigen/Core>\n#include \"server/core/math/vec3.h\"\n")
        self.assertEqual(list(include_walls.breaches(self.root)), [])

    def test_files(self):
        self.plant("a.h", "#pragma once\n" + "int x;\n" * 500)
        self.plant("b.h", "int x;\n")
        self.plant("c.md", "see /" + "home/somebody/notes\n")
        self.plant("d.cc", "// TO" + "DO: later\n")
        found = sorted(f.split(":")[0] for f in file_rules.breaches(self.root))
        self.assertEqual(found, ["a.h", "b.h", "c.md", "d.cc"])

    def test_symbols(self):
        listing = "a.o:\n0 W _ZPlain\n0 W _ZAvx2Fine\n  U _ZElsewhere\n0 t _ZLocal\n0 V _ZPlainToo\nb.o:\n0 W _ZPlain\n"
        found = list(isa_symbols.breaches(listing, {"a.o": "Avx2", "c.o": "Avx2"}))
        self.assertEqual(len(found), 3, found)


if __name__ == "__main__":
    unittest.main()
