#!/bin/sh
# Builds and tests a clone of this repository, as committed, in a chroot of another Debian release.
#
#   tools/try_release.sh RELEASE [COMMAND...]     RELEASE: trixie, bookworm, …; COMMAND: make bench && make test
#
# Needs what tools/chroot.sh says. The chroot stays under ${TMPDIR:-/tmp}/tally-RELEASE, so that the next try need not
# fetch it again: remove it when done.
set -eu
cd "$(dirname "$0")/.."
. tools/chroot.sh
if [ $# -lt 1 ]; then
  sed -n '2,7p' "$0" | cut -c3- >&2
  exit 2
fi
release=$1
shift
command=${*:-make bench && make test}
root=${TMPDIR:-/tmp}/tally-$release
need_chroot try_release
if [ ! -e "$root/etc/debian_version" ]; then
  echo "try_release: making a chroot of $release in $root"
  make_chroot "$release" "$root" ca-certificates,git,make
fi
rm -rf "$root/src"
git clone --quiet --no-hardlinks . "$root/src"
in_chroot "$root" "cd /src && $command"
