#!/usr/bin/env python3
"""Does every #include obey the layer table? Debian puts grpcpp in /usr/include, so a forbidden include would compile.

usage: include_walls.py [ROOT]     prints each breach as file:line, exits 1 if there is one
"""
import pathlib
import re
import sys

# layer (folder) -> folders whose headers it may include (its own is implied; "core" stands for all of server/core).
CORE = ["server/core"]
SERVER_BASE = CORE + ["server/batch", "server/compile", "server/robots", "server/store"]
LAYERS = {
    "server/core/math": [],
    "server/core/spatial": ["server/core/math"],
    "server/core/tree": ["server/core/math", "server/core/spatial"],
    "server/core/dynamics": ["server/core/math", "server/core/spatial", "server/core/tree"],
    "server/core/ik": ["server/core/math", "server/core/spatial", "server/core/tree", "server/core/dynamics"],
    "server/batch": CORE,
    "server/compile": CORE + ["server/batch"],
    "server/robots": CORE,
    "server/store": CORE + ["server/batch", "server/compile", "server/robots"],
    "proto/wire": CORE,
    "server/service": SERVER_BASE + ["proto/wire"],
    "server/app": SERVER_BASE + ["proto/wire", "server/service"],
    "client/torqued": ["proto/wire"],
    "client/planning": CORE,
    "client/card": CORE + ["client/planning"],
    "client/remote": CORE + ["client/torqued", "client/planning"],
    "client/cli": ["client/torqued", "client/planning", "client/remote", "client/card", "server", "proto/wire"],
    "client/examples": ["client/torqued"],
}
# Folders that may see gRPC and protobuf at all.
WIRE_FOLDERS = ("proto/wire", "server/service", "server/app", "client/torqued", "client/remote", "client/cli",
                "client/examples")
# core speaks Eigen and the standard library, nothing else.
WIRE_INCLUDE = re.compile(r"^(grpc|grpcpp|google/protobuf|google/rpc|torqued/v1)/|^grpcpp?\.h|\.pb\.h$")
CORE_FORBIDDEN = re.compile(r"^(absl|spdlog|sqlite3|yaml-cpp|tinyxml2|pugixml|nlohmann|CLI)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """The longest layer folder that contains `path`, or None."""
    best = None
    for layer in LAYERS:
        if path.startswith(layer + "/") and (best is None or len(layer) > len(best)):
            best = layer
    return best


def breaches(root):
    root = pathlib.Path(root)
    for path in sorted(p for top in ("server", "client", "proto") for p in (root / top).rglob("*")):
        if path.suffix not in (".h", ".cc", ".inc"):
            continue
        name = path.relative_to(root).as_posix()
        layer = layer_of(name)
        if layer is None:
            yield f"{name}:1: lies in no layer of the table"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(2)
            where = f"{name}:{number}: includes {target}"
            if target.startswith(("server/", "client/", "proto/", "tests/")):
                folder = target.rsplit("/", 1)[0]
                allowed = [layer] + LAYERS[layer]
                if not any(folder == a or folder.startswith(a + "/") for a in allowed):
                    yield f"{where}, {layer} may include only {', '.join(LAYERS[layer]) or 'itself'}"
            elif WIRE_INCLUDE.search(target):
                etcd = name.startswith("server/store/etcd")
                if layer not in WIRE_FOLDERS and not etcd:
                    yield f"{where}, {layer} must not know gRPC or protobuf"
            elif layer.startswith("server/core") and CORE_FORBIDDEN.match(target):
                yield f"{where}, core includes only Eigen and the standard library"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    found = list(breaches(root))
    print("\n".join(found) or "include walls stand")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
