#!/usr/bin/env python3
"""Does the image serve read-only, without capabilities and behind mutual TLS, survive kill -9 with its models, and drain on
SIGTERM?

usage: image_test.py BUILD_DIR          from the repository root; exit code 77 where containers cannot run
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
STORE = pathlib.Path("build/containers").resolve()
PODMAN = ["podman", "--root", f"{STORE}/root", "--runroot", f"{STORE}/run", "--runtime", "runc", "--cgroup-manager=cgroupfs",
          "--events-backend=file"]
LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
LOCKED = ["--network=host", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", *LIMITS]
IMAGE = "localhost/torqued:test"
NAME = f"torqued-test-{socket.gethostname()[:20]}"
ARM = pathlib.Path("deploy/robots/two-link.yaml")
LARGEST_MB = 60
os.environ["DISABLE_HC_SYSTEMD"] = "true"  # podman asks the probe when the test does, not a systemd timer


def run(*command, check=True, timeout=120):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def podman(*arguments, **options):
    return run(*PODMAN, *arguments, **options)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def why_not():
    """Why containers cannot run here, or None."""
    for program in ("podman", "buildah", "runc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    built = run("deploy/image", "--build-dir", BUILD, "--tag", IMAGE, check=False, timeout=300)
    if built.returncode != 0:
        # Is it the image or the machine? An empty image needs nothing of ours.
        probe = subprocess.run([*("buildah", "--root", f"{STORE}/root", "--runroot", f"{STORE}/run"), "from", "--quiet", "scratch"],
                               capture_output=True, text=True)
        if probe.returncode != 0:
            return f"buildah cannot work here: {probe.stderr.strip()[-300:]}"
        raise SystemExit(f"deploy/image failed:\n{built.stdout}{built.stderr}")
    print(built.stdout.strip())
    ran = podman("run", "--rm", *LOCKED, "--entrypoint", "/usr/bin/torqued", IMAGE, "--version", check=False)
    # runc's and podman's own failures are 125 to 127; ours would be another number.
    if ran.returncode in (125, 126, 127) and "torqued:" not in ran.stderr:
        return f"podman cannot run a container here: {ran.stderr.strip()[-300:]}"
    return None


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.remove()
        cls.folder = tempfile.TemporaryDirectory()
        run("deploy/lab-certificates", cls.folder.name, "--client", "press")
        for path in (cls.folder.name, *pathlib.Path(cls.folder.name).iterdir()):
            os.chown(path, 10001, 10001)  # the image's user; keys are readable by their owner alone
        probe = ["/usr/bin/torquectl", "--server", f"127.0.0.1:{cls.port}", *cls.identity("/certificates"), "health"]
        podman("run", "--detach", "--name", NAME, *LOCKED, "--volume", f"{NAME}:/data", "--volume",
               f"{cls.folder.name}:/certificates:ro", "--health-cmd", json.dumps(probe), IMAGE, "--listen",
               f"127.0.0.1:{cls.port}", "--tls-cert", "/certificates/server.pem", "--tls-key", "/certificates/server.key",
               "--tls-client-ca", "/certificates/ca.pem", "--certificate-role", "admin", "--drain-delay-s", "6")

    @staticmethod
    def identity(folder):
        return ["--tls-ca", f"{folder}/ca.pem", "--tls-cert", f"{folder}/press.pem", "--tls-key", f"{folder}/press.key"]

    @classmethod
    def tearDownClass(cls):
        cls.remove()
        cls.folder.cleanup()

    @classmethod
    def remove(cls):
        podman("rm", "--force", "--time", "0", NAME, check=False)
        podman("volume", "rm", "--force", NAME, check=False)

    def ask(self, *arguments, check=True):
        return run(BUILD / "bin" / "torquectl", "--server", f"127.0.0.1:{self.port}", *self.identity(self.folder.name), *arguments,
                   check=check)

    def wait(self):
        self.ask("health", "--wait", "--timeout", "60s")

    def inspect(self, field):
        return podman("inspect", "--format", f"{{{{{field}}}}}", NAME).stdout.strip()

    def test_1_the_image_is_small_and_says_what_it_is(self):
        facts = json.loads(podman("image", "inspect", IMAGE).stdout)[0]
        self.assertLess(facts["Size"], LARGEST_MB * 1_000_000)
        labels = facts["Labels"]
        for name in ("title", "description", "licenses", "version", "revision", "created"):
            self.assertTrue(labels.get(f"org.opencontainers.image.{name}"), name)
        self.assertEqual(facts["User"], "10001:10001")
        self.assertEqual(facts["Config"]["StopSignal"], "SIGTERM")
        self.assertEqual(run(BUILD / "bin" / "torqued", "--version").stdout.split()[1],
                         labels["org.opencontainers.image.version"])

    def test_2_no_shell_inside(self):
        shell = podman("run", "--rm", *LIMITS, "--network=none", "--entrypoint", "/bin/sh", IMAGE, "-c", "true", check=False)
        self.assertNotEqual(shell.returncode, 0)

    def test_3_it_serves_and_the_probe_says_so(self):
        self.wait()
        self.assertEqual(podman("healthcheck", "run", NAME).returncode, 0)
        self.assertEqual(self.inspect(".State.Health.Status"), "healthy")
        stranger = run(BUILD / "bin" / "torquectl", "--server", f"127.0.0.1:{self.port}", "--tls-ca",
                       f"{self.folder.name}/ca.pem", "health", check=False)
        self.assertEqual(stranger.returncode, 4, "who shows no certificate gets in")
        torque = json.loads(self.ask("--json", "static", "ur5e", "--q", "0.3,-1.2,1.4,-0.7,0.9,0.5").stdout)
        self.assertIn("-34.30379", json.dumps(torque))

    def test_4_it_is_locked_down(self):
        pid = self.inspect(".State.Pid")
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        self.assertEqual(status["Uid"].split(), ["10001"] * 4)
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[kind], 16), 0, kind)
        self.assertEqual(status["NoNewPrivs"].strip(), "1")
        mounts = [line.split() for line in pathlib.Path(f"/proc/{pid}/mounts").read_text().splitlines()]
        root = next(mount for mount in mounts if mount[1] == "/")
        self.assertIn("ro", root[3].split(","))

    def test_5_models_survive_kill_9(self):
        self.wait()
        self.ask("model", "add", ARM, "--id", "kept")
        before = json.loads(self.ask("--json", "model", "show", "kept").stdout)
        podman("kill", "--signal", "KILL", NAME)
        podman("wait", NAME)
        self.assertEqual(self.inspect(".State.ExitCode"), "137")
        podman("start", NAME)
        self.wait()
        self.assertEqual(json.loads(self.ask("--json", "model", "show", "kept").stdout), before)

    def test_6_the_stop_signal_drains(self):
        self.wait()
        podman("kill", "--signal", "TERM", NAME)
        while self.ask("health", "--quiet", check=False).returncode == 0:
            pass
        self.ask("static", "ur5e", "--q", "0,0,0,0,0,0")  # not healthy, and still answering
        self.assertEqual(podman("wait", NAME).stdout.strip(), "0")
        log = podman("logs", NAME)
        self.assertIn("SIGTERM: draining", log.stdout + log.stderr)
        self.assertIn("ended", log.stdout + log.stderr)


def main():
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 0 if unittest.main(argv=["image_test"], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
