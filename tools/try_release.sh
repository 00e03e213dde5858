#!/bin/sh
# Builds and tests a clone of this repository, as committed, in a chroot of another Debian release.
#
#   tools/try_release.sh RELEASE [COMMAND...]     RELEASE: trixie, bookworm, …; COMMAND: make bench && make test
#
# Needs root, mmdebstrap and a Debian mirror (MIRROR=URL for another than the default). The chroot stays under
# ${TMPDIR:-/tmp}/tally-RELEASE, so that the next try need not fetch it again: remove it when done.
set -eu
cd "$(dirname "$0")/.."
if [ $# -lt 1 ]; then
  sed -n '2,7p' "$0" | cut -c3- >&2
  exit 2
fi
release=$1
shift
command=${*:-make bench && make test}
root=${TMPDIR:-/tmp}/tally-$release
if [ "$(id -u)" -ne 0 ]; then
  echo "try_release: a chroot needs root" >&2
  exit 2
fi
if ! command -v mmdebstrap >/dev/null 2>&1; then
  echo "try_release: mmdebstrap is missing: apt-get install mmdebstrap" >&2
  exit 2
fi
if [ ! -e "$root/etc/debian_version" ]; then
  echo "try_release: making a chroot of $release in $root"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,git,make "$release" "$root" ${MIRROR:+"$MIRROR"}
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/src"
git clone --quiet --no-hardlinks . "$root/src"
# In a mount namespace of its own, which takes the mounts with it.
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  unshare --mount --pid --fork sh -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t sysfs sysfs "$1/sys"
    mount -t tmpfs tmpfs "$1/run"
    mkdir -p "$1/run/lock"
    exec chroot "$1" sh -c "cd /src && $2"' try "$root" "$command"
