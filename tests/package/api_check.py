#!/usr/bin/env python3
"""Does torqued.v1 still hold what it once promised?   (the rule stands in proto/README.md)

usage: api_check.py [--accept]      from anywhere; exit code 1 and one line per breach if something is broken

Every package, message, field, enum value and method is one line of tests/golden/api/torqued.v1.txt. A line that is no longer
there is a breach: renamed, renumbered, retyped, removed, moved into another oneof. New lines are additions: they are shown, and
kept from the next --accept on.
"""
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "proto"
KEPT = HERE.parent / "golden/api/torqued.v1.txt"
Field = descriptor_pb2.FieldDescriptorProto
TYPES = {number: name[5:].lower() for name, number in Field.Type.items()}


def field_type(field):
    name = field.type_name.lstrip(".") or TYPES[field.type]
    return f"repeated {name}" if field.label == Field.LABEL_REPEATED else name


def message_lines(message, prefix):
    name = f"{prefix}.{message.name}"
    yield f"message {name}"
    for field in message.field:
        line = f"field {name}.{field.name} = {field.number}: {field_type(field)}"
        if field.proto3_optional:
            line += " optional"
        elif field.HasField("oneof_index"):
            line += f" oneof {message.oneof_decl[field.oneof_index].name}"
        yield line
    for nested in message.nested_type:
        yield from message_lines(nested, name)
    for enum in message.enum_type:
        yield from enum_lines(enum, name)


def enum_lines(enum, prefix):
    for value in enum.value:
        yield f"enum {prefix}.{enum.name}: {value.name} = {value.number}"


def api_lines(proto):
    """One line per promise of the .proto files of torqued/v1 below the folder `proto`."""
    files = sorted(p.relative_to(proto).as_posix() for p in (proto / "torqued/v1").glob("*.proto"))
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(["protoc", f"--descriptor_set_out={out.name}", "-I", str(proto), *files], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes()).file
    lines = set()
    for file in files:
        for message in file.message_type:
            lines.update(message_lines(message, file.package))
        for enum in file.enum_type:
            lines.update(enum_lines(enum, file.package))
        for service in file.service:
            for method in service.method:
                streams = ("stream " * method.client_streaming, "stream " * method.server_streaming)
                lines.add(f"method /{file.package}.{service.name}/{method.name}: {streams[0]}{method.input_type[1:]} -> "
                          f"{streams[1]}{method.output_type[1:]}")
    return lines


def compare(proto, kept=KEPT):
    """Broken promises, additions."""
    promised = set(kept.read_text().splitlines())
    now = api_lines(proto)
    return sorted(promised - now), sorted(now - promised)


def main():
    if "--accept" in sys.argv[1:]:
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text("\n".join(sorted(api_lines(PROTO))) + "\n")
        return 0
    broken, added = compare(PROTO)
    for line in added:
        print(f"new: {line}")
    for line in broken:
        print(f"BROKEN: {line}")
    print(f"{len(broken)} promises broken, {len(added)} additions")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
