#!/bin/sh
# Counts the standard suites in a fresh Debian, as an ordinary user, and compares them with the reference counts; or records these.
# Says what it does and how long each step takes.
#
#   tools/try_references.sh [--record] [--chroot FOLDER] RELEASE [BUILD]
#
# RELEASE: bookworm (Debian 12), trixie (13); BUILD: build/release, whose install is what counts. --chroot keeps the chroot in FOLDER, and
# takes it from there the next time. Without --record, it ends with 3 if a count differs, and with 2 if one could not be compared.
#
# Needs what tools/chroot.sh says. A reference is of one state of a Debian with all its updates: on a later day its libraries may be others,
# and `tally run --expect` then names them.
set -eu
cd "$(dirname "$0")/.."
. tools/chroot.sh
record=
root=
while [ $# -gt 0 ]; do
  case $1 in
    --record) record=yes ;;
    --chroot) root=${2:?--chroot wants a folder} && shift ;;
    *) break ;;
  esac
  shift
done
case ${1:-} in
  bookworm) debian=debian-12 ;;
  trixie) debian=debian-13 ;;
  *)
    sed -n '2,11p' "$0" | cut -c3- >&2
    exit 2
    ;;
esac
release=$1
build=${2:-build/release}
need_chroot try_references
packages=ca-certificates,clang-19,g++,libtorch-dev,lld-19,python3,python3-numpy,python3-torch,valgrind
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=${root:-$work/root}
if [ ! -x "$root/usr/bin/valgrind" ]; then step "$release: make a chroot" make_chroot "$release" "$root" "$packages"; fi
step "$release: install $build" tools/install_release.sh "$build" "$root/usr/local"

rm -rf "$root/srv/suites" "$root/srv/counted"
cp -r suites "$root/srv/suites"
install -d -m 777 "$root/srv/counted"
in_chroot "$root" 'id counts >/dev/null 2>&1 || useradd --create-home counts'
failed=0
for suite in cpp_standard python_standard torch_standard; do
  reference=suites/reference/$suite.$debian.json.zst
  expect="--expect /srv/$reference"
  if [ -n "$record" ]; then expect=; fi
  counted=/srv/counted/$suite.json
  result=0
  step "$release: $suite" in_chroot "$root" \
    "su counts -c 'cd /srv && /usr/local/bin/tally run suites/$suite.toml --counts-only --images off --json $counted $expect'" || result=1
  tail -n 1 "$log" | sed 's/^/    /'
  if [ -n "$record" ] && [ $result = 0 ]; then tools/make_reference.py "$root$counted" "$reference" || result=1; fi
  if [ $result != 0 ]; then failed=3; fi
done
exit $failed
