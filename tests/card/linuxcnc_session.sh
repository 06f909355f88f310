#!/bin/bash
# A LinuxCNC of its own for a test: private IPC and mount namespaces, an ordinary user, the component from the build folder.
#   linuxcnc_session.sh NAME CONFIG DRIVER_FOLDER COMPONENT.so HELPER WORK_FOLDER
# Exit 77: cannot be run here, the reason is on standard error. Lines on standard input are commands for halcmd; the session ends when it
# closes. A helper that is killed is started again, once.
set -u
name=$1 config=$2 driver=$3 component=$4 helper=$5 work=$6
command -v halcmd >/dev/null || { echo "LinuxCNC is not installed (linuxcnc-uspace)" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "needs root to make namespaces and to change to an ordinary user" >&2; exit 77; }
[ -r "$component" ] || { echo "the component was not built: $component" >&2; exit 77; }
modules=$(dirname "$(find /usr/lib/linuxcnc -name threads.so | head -1)")
mkdir -p "$work/modules" && cp "$modules"/*.so "$component" "$work/modules/" && cp "$config" "$work/card.yaml"
cp "$driver/start" "$driver/cleanup" "$driver/sim.hal" "$helper" "$work/" && chmod -R a+rX "$work" && chown -R nobody "$work"
exec unshare --ipc --mount bash -c '
  mount --bind "$1/modules" "$2" || { echo "mount namespaces are not permitted here" >&2; exit 77; }
  exec runuser -u nobody -- env HOME="$1" PATH="$PATH" bash -c "
    exec 3<&0
    \"$1/start\" --name \"$3\" --config \"$1/card.yaml\" --helper \"$1/torqued-linuxcnc\" --restart 1 3<&- & pid=\$!
    (while read -r line <&3; do halcmd \$line; done; kill -TERM \$pid) &
    wait \$pid"
' session "$work" "$modules" "$name"
