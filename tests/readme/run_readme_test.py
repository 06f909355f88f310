#!/usr/bin/env python3
"""Does the README checker notice a wrong number, a missing line, a line too many?"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run_readme as r  # noqa: E402


class Comparison(unittest.TestCase):
    def test_numbers(self):
        self.assertTrue(r.same_line("tau  1.0000001 Nm", "tau   1.0 Nm"))
        self.assertFalse(r.same_line("tau 1.0001 Nm", "tau 1.0 Nm"))
        self.assertFalse(r.same_line("tau -1.0 Nm", "tau 1.0 Nm"))
        self.assertFalse(r.same_line("tau 1.0 Nm", "torque 1.0 Nm"))

    def test_lines(self):
        self.assertIsNone(r.same_output(["a", "...", "z"], ["a", "b", "c", "z"]))
        self.assertEqual(r.same_output(["a", "z"], ["a", "b", "z"]), 1)
        self.assertEqual(r.same_output(["a"], ["a", "b"]), 1)
        self.assertEqual(r.same_output(["a", "b"], ["a"]), 1)
        self.assertIsNone(r.same_output(["revision ... answered"], ["revision 0123 answered"]))

    def test_commands(self):
        found = list(r.commands(1, ["$ echo '", "x'", "x", "$ true"]))
        self.assertEqual(found, [(1, "echo '\nx'", ["x"]), (4, "true", [])])


if __name__ == "__main__":
    unittest.main()
