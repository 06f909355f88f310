#!/usr/bin/env python3
"""What does an operator see of a live server? Metrics, readiness while draining, request ids, and a dashboard that asks
only for what is there.

usage: sight_test.py BIN_FOLDER
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

BIN = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = [["static", "two-link", "--q", "0.1,0.2"], ["jacobian", "two-link", "--q", "0.1,0.2"], ["health"],
         ["model", "show", "two-link"], ["model", "show", "nobody"]]
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Server:
    def __init__(self, folder, *flags):
        self.log = pathlib.Path(folder) / "log"
        self.process = subprocess.Popen(
            [BIN / "torqued", "--listen", "127.0.0.1:0", "--data-dir", f"{folder}/data", "--robots", ROOT / "deploy/robots",
             "--metrics-listen", "127.0.0.1:0", "--log-file", self.log, "--log-level", "debug", *flags],
            stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]
        self.metrics_port = int(re.search(r"metrics on port (\d+)", self.log.read_text()).group(1))

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}{path}", timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, *arguments, **environment):
        return subprocess.run([BIN / "torquectl", "--server", self.address, *arguments], capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", **environment})

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def samples(page):
    """name -> {labels: value} of the text format."""
    found = {}
    for line in page.splitlines():
        if line.startswith("#") or not line:
            continue
        name, labels, value = re.fullmatch(r'([a-z_]+)(\{.*\})? (\S+)', line).groups()
        found.setdefault(name, {})[labels or ""] = float(value)
    return found


class Sight(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.server = Server(self.folder.name, "--drain-delay-s", "60", "--slow-s", "0")
        for call in CALLS:
            self.server.ask(*call, TRACEPARENT=TRACE)

    def tearDown(self):
        self.server.end()
        self.folder.cleanup()

    def test_metrics(self):
        code, page = self.server.get("/metrics")
        self.assertEqual(code, 200)
        found = samples(page)
        self.assertEqual(found["torqued_calls_total"]['{method="ComputeStaticTorque",code="OK"}'], 1)
        self.assertEqual(found["torqued_calls_total"]['{method="GetModel",code="NOT_FOUND"}'], 1)
        self.assertEqual(found["torqued_samples_total"]['{method="ComputeJacobian"}'], 1)
        self.assertEqual(found["torqued_call_duration_seconds_count"]['{method="ComputeJacobian"}'], 1)
        durations = [v for labels, v in found["torqued_call_duration_seconds_bucket"].items() if "ComputeJacobian" in labels]
        self.assertEqual(durations, sorted(durations))
        self.assertEqual(durations[-1], 1)
        self.assertEqual(found["torqued_batch_samples_count"][""], 2)
        self.assertEqual(found["torqued_models"][""], len(list((ROOT / "deploy/robots").glob("*.yaml"))) + len(list((ROOT / "deploy/robots").glob("*.urdf"))))
        self.assertGreater(found["process_resident_memory_bytes"][""], 1e6)
        self.assertGreater(found["torqued_store_bytes"][""], 4096)
        self.assertIn("instruction_set", next(iter(found["torqued_info"])))

    def test_dashboard_asks_for_what_is_there(self):
        found = samples(self.server.get("/metrics")[1])
        dashboard = json.loads((ROOT / "deploy/grafana/torqued.json").read_text())
        expressions = [t["expr"] for p in dashboard["panels"] for t in p["targets"]]
        self.assertGreater(len(expressions), 10)
        words = {w for e in expressions for w in re.findall(r"\b(?:torqued|process)_[a-z_]+", e)}
        self.assertGreater(len(words), 12)
        for word in words:
            self.assertIn(word, found)
        labels = {w for e in expressions for group in re.findall(r"by \(([^)]*)\)", e) for w in group.split(", ")}
        page = self.server.get("/metrics")[1]
        for label in labels:
            self.assertIn(f'{label}="', page)

    def test_ready_until_it_drains(self):
        self.assertEqual(self.server.get("/healthz"), (200, "alive\n"))
        self.assertEqual(self.server.get("/readyz"), (200, "ready\n"))
        self.assertEqual(self.server.get("/elsewhere")[0], 404)
        self.server.process.send_signal(signal.SIGTERM)
        while self.server.get("/readyz")[0] == 200:
            pass
        self.assertEqual(self.server.get("/readyz"), (503, "draining\n"))
        self.assertEqual(self.server.get("/healthz")[0], 200)
        self.assertEqual(samples(self.server.get("/metrics")[1])["torqued_ready"][""], 0)

    def test_log_lines(self):
        log = self.server.log.read_text()
        line = next(n for n in log.splitlines() if "method=ComputeStaticTorque" in n)
        self.assertRegex(line, r"slow call id=[0-9a-f]{16} peer=ipv4:127.0.0.1 method=ComputeStaticTorque on=models/two-link "
                               r"code=OK us=\d+ samples=1 trace=4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7")
        self.assertRegex(log, r'method=GetModel on=models/nobody code=NOT_FOUND .* message="')

    def test_reload(self):
        self.server.log.rename(str(self.server.log) + ".1")
        self.server.process.send_signal(signal.SIGHUP)
        while not self.server.log.exists():
            pass
        self.server.ask("static", "two-link", "--q", "0,0")
        self.assertIn("method=ComputeStaticTorque", self.server.log.read_text())

    def test_top_once(self):
        top = self.server.ask("top")
        self.assertEqual(top.returncode, 0, top.stderr)
        self.assertIn("ComputeJacobian", top.stdout)


if __name__ == "__main__":
    unittest.main()
