# Which Debian 12 packages does Torqued need? Sourced by deploy/quickstart and deploy/test.
#
# need_packages LIST...   installs what is missing of the named lists (as root, or by sudo without a question); where
#                         neither is possible, names the packages and fails. With nothing missing it needs neither root
#                         nor network.

packages_build="g++ cmake ninja-build ccache git ca-certificates pkg-config
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev
  libeigen3-dev libspdlog-dev libsqlite3-dev libssl-dev libyaml-cpp-dev libtinyxml2-dev libcli11-dev
  libasmjit-dev nlohmann-json3-dev prometheus-cpp-dev libcivetweb-dev"

packages_test="libgtest-dev libgmock-dev locales binutils
  python3 python3-grpcio python3-protobuf python3-numpy python3-matplotlib
  liborocos-kdl-dev libmujoco-dev
  etcd-server etcd-client haproxy openssl yamllint python3-yaml dpkg-dev file"

packages_container="podman buildah runc debootstrap fuse-overlayfs uidmap slirp4netns netavark"

# A real-time controller to run the LinuxCNC driver on, without hardware (65 MB to download beyond the others, 620 MB installed).
packages_linuxcnc="linuxcnc-uspace linuxcnc-uspace-dev"

missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$name"
  done
}

need_packages() {
  local list names="" missing
  for list in "$@"; do
    local variable="packages_$list"
    names="$names ${!variable}"
  done
  # shellcheck disable=SC2086
  missing=$(missing_packages $names)
  [ -z "$missing" ] && return 0
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      sudo="sudo -n"
    else
      echo "These Debian packages are missing and only root can install them:" >&2
      echo "  apt-get install -y --no-install-recommends $missing" >&2
      return 1
    fi
  fi
  echo "installing packages: $missing"
  mkdir -p build
  # shellcheck disable=SC2086
  if ! { $sudo apt-get update -qq &&
         $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } \
         >build/packages.log 2>&1; then
    echo "could not install packages; the last lines of build/packages.log:" >&2
    tail -n 5 build/packages.log >&2
    return 1
  fi
}
