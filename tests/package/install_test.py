#!/usr/bin/env python3
"""Can a project of somebody else be built from the installed tree, and does it run?

usage: install_test.py BUILD_DIR SOURCE_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-5000:]}")
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        prefix = folder / "prefix"
        for component in ("torqued", "dev", "python"):
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
        # Nothing installed may lead back to the build.
        for path in prefix.rglob("*.cmake"):
            for private in (str(BUILD), str(SOURCE)):
                assert private not in path.read_text(), f"{path.name} names {private}"
        cache = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        run("cmake", "-S", SOURCE / "tests/package/consumer", "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DEXAMPLES={prefix}/share/doc/libtorqued-dev/examples", *cache)
        run("cmake", "--build", folder / "build")
        print(run(folder / "build/pendulum").strip())

        server = subprocess.Popen([str(prefix / "bin/torqued"), "--listen", "127.0.0.1:0", "--data-dir", str(folder / "data"),
                                   "--robots", str(prefix / "share/torqued/robots")], stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[-1]
            held = run(folder / "build/hold_still", address)
            print(held.strip())
            assert "-34.3038" in held and "-54.5817" in held, held
            health = run(prefix / "bin/torquectl", "--server", address, "health")
            assert "serving" in health, health
            python = ("from torqued import Client\n"
                      f"with Client('{address}') as client: print(client.robot('ur5e').static_torque([0.3, -1.2, 1.4, -0.7, 0.9, 0.5])[1])")
            told = run("/usr/bin/python3", "-c", python, env={"PYTHONPATH": str(prefix / "lib/python3/dist-packages")}, cwd=folder)
            assert told.startswith("-34.3037"), told
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
