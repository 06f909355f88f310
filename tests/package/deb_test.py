#!/usr/bin/env python3
"""Do the packages install, serve and leave nothing behind, in a Debian 12 of their own?

usage: deb_test.py BUILD_DIR SOURCE_DIR      exit code 77 where that cannot be tried

The packages themselves (control data, scripts, changelog) are checked everywhere; installing them wants root, the network
and the base system that `deploy/image --base` makes with debootstrap.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
BASE = SOURCE / "build/image/bookworm.tar"
ROOT = SOURCE / "build/package-root"
NAMES = ("torqued", "libtorqued-dev", "python3-torqued")


def run(*command, check=True, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-5000:]}")
    return done.stdout


def make_packages():
    shutil.rmtree(BUILD / "packages", ignore_errors=True)
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", cwd=BUILD)
    found = {}
    for path in sorted((BUILD / "packages").glob("*.deb")):
        found[run("dpkg-deb", "--field", path, "Package").strip()] = path
    assert sorted(found) == sorted(NAMES), found
    return found


def check_contents(packages):
    project = re.search(r"project\(torqued VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    changelog = run("dpkg-parsechangelog", "--file", SOURCE / "deploy/debian/changelog", "--show-field", "Version").strip()
    assert changelog == project, f"the changelog's newest version is {changelog}, the project's {project}"
    for name, path in packages.items():
        assert run("dpkg-deb", "--field", path, "Version").strip() == project
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    files = run("dpkg-deb", "--contents", packages["torqued"])
    for wanted in ("usr/bin/torqued", "usr/bin/torquectl", "usr/share/torqued/robots/ur5e.yaml",
                   "usr/lib/systemd/system/torqued.service", "usr/share/doc/torqued/changelog.gz"):
        assert f"./{wanted}\n" in files, f"the package lacks {wanted}"
    depends = run("dpkg-deb", "--field", packages["torqued"], "Depends")
    assert "libgrpc++" in depends and "libc6" in depends, depends


def why_not():
    if os.geteuid() != 0:
        return "only root can install packages"
    if not BASE.is_file():
        return "there is no base system; make it with deploy/image --base"
    return None


def files_of_root():
    skip = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log", "proc", "dev", "sys", "tmp", "run", "root")
    return {p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if not p.relative_to(ROOT).as_posix().startswith(skip)}


def chroot(*command, **options):
    return run("chroot", ROOT, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8",
               *command, **options)


def install_and_remove(packages):
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    run("tar", "-C", ROOT, "-xf", BASE)
    shutil.copy("/etc/resolv.conf", ROOT / "etc/resolv.conf")
    if pathlib.Path("/etc/hosts").is_file():
        shutil.copy("/etc/hosts", ROOT / "etc/hosts")
    chroot("apt-get", "update", "-qq")
    depends = []
    for name in ("torqued", "python3-torqued"):
        fields = run("dpkg-deb", "--field", packages[name], "Depends")
        depends += [d.split("(")[0].split("|")[0].strip() for d in fields.split(",")]
    chroot("apt-get", "install", "-qq", "-y", "--no-install-recommends", *depends)
    before = files_of_root()
    for name in ("torqued", "python3-torqued"):
        shutil.copy(packages[name], ROOT / "tmp")
    chroot("sh", "-c", "dpkg -i /tmp/*.deb")
    version = run("dpkg-deb", "--field", packages["torqued"], "Version").strip()
    assert chroot("torqued", "--version").split()[1] == version
    assert (ROOT / "etc/torqued/torqued.yaml").is_file()
    chroot("torqued", "check-config", "--config", "/etc/torqued/torqued.yaml")
    answer = chroot("torquectl", "--local", "static", "/usr/share/torqued/robots/ur5e.yaml", "--q", "0.3,-1.2,1.4,-0.7,0.9,0.5")
    assert "-34.303795" in answer, answer
    chroot("python3", "-c", "import torqued")
    # An upgrade to the same version keeps what the administrator wrote.
    (ROOT / "etc/torqued/torqued.yaml").write_text("listen: 127.0.0.1:50052\n")
    chroot("sh", "-c", "dpkg -i /tmp/torqued_*.deb")
    assert (ROOT / "etc/torqued/torqued.yaml").read_text() == "listen: 127.0.0.1:50052\n"
    chroot("dpkg", "--remove", "torqued", "python3-torqued")
    assert (ROOT / "etc/torqued/torqued.yaml").is_file(), "a removal keeps the configuration"
    chroot("dpkg", "--purge", "torqued", "python3-torqued")
    left = sorted(files_of_root() - before)
    assert not left, f"left behind: {left}"
    gone = sorted(p for p in before - files_of_root() if "__pycache__" not in p)
    assert not gone, f"taken along: {gone}"
    print("installed, tried, upgraded, removed and purged: nothing is left behind")


def main():
    packages = make_packages()
    check_contents(packages)
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    try:
        install_and_remove(packages)
    finally:
        shutil.rmtree(ROOT, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
