"""A real torqued for tests written in Python."""
import pathlib
import subprocess
import tempfile
import time


class Server:
    """torqued on a free port with the shipped robots, in a folder of its own."""

    def __init__(self, bin_dir, root):
        self.folder = tempfile.TemporaryDirectory()
        port_file = pathlib.Path(self.folder.name) / "port"
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen(
            [bin_dir / "torqued", "--listen", "127.0.0.1:0", "--data-dir", pathlib.Path(self.folder.name) / "data",
             "--robots", root / "deploy/robots", "--port-file", port_file], stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 30
        while not (port_file.exists() and port_file.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise SystemExit("torqued did not start:\n" + self.log.read())
            time.sleep(0.02)
        self.address = "127.0.0.1:" + port_file.read_text().strip().rsplit(":", 1)[-1]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()
