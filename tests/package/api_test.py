#!/usr/bin/env python3
"""Is the contract kept, and would a breach be noticed? Each case breaks a copy of the protos on purpose."""
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import api_check  # noqa: E402


class Contract(unittest.TestCase):
    def test_nothing_promised_is_broken(self):
        broken, added = api_check.compare(api_check.PROTO)
        print(f"{len(added)} additions since the last release")
        self.assertEqual(broken, [])


class Breach(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.proto = pathlib.Path(self.folder.name) / "proto"
        shutil.copytree(api_check.PROTO, self.proto)
        self.kept = pathlib.Path(self.folder.name) / "kept.txt"
        self.kept.write_text("\n".join(api_check.api_lines(self.proto)))

    def tearDown(self):
        self.folder.cleanup()

    def change(self, file, old, new):
        path = self.proto / "torqued/v1" / file
        text = path.read_text()
        self.assertEqual(text.count(old), 1, f"{old!r} in {file}")
        path.write_text(text.replace(old, new))
        return api_check.compare(self.proto, self.kept)

    def test_breaches_are_noticed(self):
        cases = {
            "renumbered": ("server.proto", "string commit = 2;", "string commit = 912;"),
            "renamed": ("server.proto", "string commit = 2;", "string hash = 2;"),
            "retyped": ("server.proto", "int32 model_count = 8;", "int64 model_count = 8;"),
            "removed": ("server.proto", "int32 model_count = 8;", ""),
            "made repeated": ("server.proto", "string commit = 2;", "repeated string commit = 2;"),
            "made optional": ("server.proto", "string commit = 2;", "optional string commit = 2;"),
            "method removed": ("server.proto", "rpc GetStatistics(GetStatisticsRequest) returns (GetStatisticsResponse);", ""),
            "method streams": ("server.proto", "returns (GetStatisticsResponse)", "returns (stream GetStatisticsResponse)"),
        }
        for name, change in cases.items():
            with self.subTest(name):
                shutil.copytree(api_check.PROTO, self.proto, dirs_exist_ok=True)
                broken, _ = self.change(*change)
                self.assertNotEqual(broken, [], name)

    def test_additions_pass(self):
        broken, added = self.change("server.proto", "string commit = 2;", "string commit = 2;\n  string brand_new = 999;")
        self.assertEqual(broken, [])
        self.assertEqual(added, ["field torqued.v1.GetServerInfoResponse.brand_new = 999: string"])


if __name__ == "__main__":
    unittest.main()
