#!/bin/sh
# Counts the standard suites in a fresh Debian, as an ordinary user, and compares them with the reference counts; or records these.
# Says what it does and how long each step takes.
#
#   tools/try_references.sh [--record] [--chroot FOLDER] RELEASE [BUILD]
#
# RELEASE: bookworm (Debian 12, also with PyTorch from PyPI, 5 GB), trixie (13); BUILD: build/release, whose install is what
# counts. --chroot keeps the chroot in FOLDER, and takes it from there the next time. Without --record, it ends with 3 if a count differs, and
# with 2 if one could not be compared. PYTORCH=2.11.0 takes that version from PyPI, in Debian 12, and counts nothing but with it.
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
    sed -n '2,12p' "$0" | cut -c3- >&2
    exit 2
    ;;
esac
release=$1
build=${2:-build/release}
if [ -n "${PYTORCH:-}" ] && [ "$release" != bookworm ]; then
  echo "try_references: PYTORCH is for bookworm" >&2
  exit 2
fi
need_chroot try_references
packages=ca-certificates,clang-19,g++,libtorch-dev,lld-19,python3,python3-numpy,python3-torch,python3-venv,valgrind
# Where it lies is a part of its counts.
pip_version=${PYTORCH:-2.13.0}
case $pip_version in 2.13.0) pip_torch=/opt/torch ;; *) pip_torch=/opt/torch-$pip_version ;; esac
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
# Counts a suite, and compares it with a reference or records that.
count() { # NAME SUITE [OPTION]
  reference=suites/reference/$1.json.zst
  expect="--expect /srv/$reference"
  if [ -n "$record" ]; then expect=; fi
  counted=/srv/counted/$1.json
  result=0
  step "$release: $1" in_chroot "$root" \
    "su counts -c 'cd /srv && /usr/local/bin/tally run suites/$2.toml --counts-only --images off ${3:-} --json $counted $expect'" || result=1
  tail -n 1 "$log" | sed 's/^/    /'
  if [ -n "$record" ] && [ $result = 0 ]; then tools/make_reference.py "$root$counted" "$reference" || result=1; fi
  if [ $result != 0 ]; then failed=3; fi
}
if [ -z "${PYTORCH:-}" ]; then
  for suite in cpp_standard python_standard torch_standard; do count "$suite.$debian" "$suite"; done
fi
if [ "$release" = bookworm ]; then
  if [ ! -x "$root$pip_torch/bin/python" ]; then
    # What this machine trusts, a proxy's own certificate among it, the chroot does.
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    step "$release: PyTorch $pip_version from PyPI" in_chroot "$root" \
      "python3 -m venv $pip_torch && $pip_torch/bin/pip install --quiet torch==$pip_version numpy==2.4.6"
  fi
  count "torch_standard.pip-$pip_version" torch_standard "--python $pip_torch/bin/python"
fi
exit $failed
