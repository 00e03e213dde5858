#!/bin/sh
# Builds the Debian packages from the source archive in a fresh chroot, which has what debian/control names for building and nothing else.
# Says what it does and how long each step takes.
#
#   tools/try_source.sh RELEASE [COMMAND...]     RELEASE: bookworm, trixie, …; COMMAND: dpkg-buildpackage -b -us -uc
#
# Needs what tools/chroot.sh says. The chroot is removed afterwards.
set -eu
cd "$(dirname "$0")/.."
. tools/chroot.sh
if [ $# -lt 1 ]; then
  sed -n '2,7p' "$0" | cut -c3- >&2
  exit 2
fi
release=$1
shift
command=${*:-dpkg-buildpackage -b -us -uc}
need_chroot try_source
work=$(mktemp -d)
root=$work/root
log=$work/log
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
archive=$(tools/make_source.sh "$work/source")
step "$release: make a chroot" make_chroot "$release" "$root" build-essential
tar -C "$root/root" -xzf "$archive"
source=/root/$(basename "$archive" .tar.gz)
step "$release: install what debian/control names" in_chroot "$root" \
  "apt-get update && apt-get build-dep -y --no-install-recommends $source"
step "$release: $command" in_chroot "$root" "cd $source && $command"
tail -n 5 "$log" | sed 's/^/    /'
find "$root/root" -maxdepth 1 -name '*.deb' | sed "s|^$root/root/|    |" | sort
