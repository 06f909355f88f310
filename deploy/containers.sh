# podman and buildah that keep everything below build/containers and work as root without systemd, also on hosts with
# mixed cgroup versions. Sourced by deploy/image and deploy/test.
containers=${TORQUED_CONTAINERS:-$PWD/build/containers}
limits=(--ulimit nofile=1024:1024 --ulimit nproc=4096:4096)
export DISABLE_HC_SYSTEMD=true

buildah_here() { buildah --root "$containers/root" --runroot "$containers/run" "$@"; }

podman_here() {
  podman --root "$containers/root" --runroot "$containers/run" --runtime runc --cgroup-manager=cgroupfs \
    --events-backend=file "$@"
}
