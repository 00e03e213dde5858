#!/bin/sh
# Installs the Debian packages in a fresh chroot of each release, without what they recommend, and runs the tests of
# debian/tests there, in the order of its control file. Says what it does, with seconds, and what the tests print.
#
#   tools/try_deb.sh [RELEASE...]     RELEASE: bookworm and trixie, one after the other
#
# The packages are those of `make deb` (DEB=FOLDER: those of another folder). Needs what tools/chroot.sh says. The chroot
# is removed afterwards.
set -eu
cd "$(dirname "$0")/.."
. tools/chroot.sh
need_chroot try_deb
folder=${DEB:-build/deb}
if ! ls "$folder"/tallymark_*.deb >/dev/null 2>&1; then
  echo "try_deb: there is no package in $folder: make deb" >&2
  exit 2
fi
work=$(mktemp -d)
root=$work/root
log=$work/log
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The packages that a test depends on (debian/tests/control); ours are files.
packages_of() { # TEST
  awk -v RS= -v test="$1" 'index($0 "\n", "Tests: " test "\n")' debian/tests/control | sed -n 's/^Depends: //p' | tr ',' '\n' |
    while read -r package; do
      case $package in
        *tallymark) (cd "$root" && echo deb/"$package"_*.deb) | sed 's|^|/|' ;;
        *) echo "$package" ;;
      esac
    done | paste -s -d ' '
}

failed=
[ $# -gt 0 ] || set -- bookworm trixie
for release; do
  rm -rf "$root"
  step "$release: make a chroot" make_chroot "$release" "$root"
  mkdir "$root/deb"
  cp "$folder"/*.deb "$root/deb/"
  cp -r debian/tests "$root/tests"
  step "$release: fetch the lists of packages" in_chroot "$root" "apt-get update"
  for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
    packages=$(packages_of "$test")
    step "$release: install $packages" in_chroot "$root" "apt-get install -y --no-install-recommends $packages"
    if step "$release: test $test" in_chroot "$root" "AUTOPKGTEST_TMP=\$(mktemp -d); export AUTOPKGTEST_TMP; /tests/$test"; then
      sed 's/^/    /' "$log"
    else
      failed="$failed $release:$test"
    fi
  done
  step "$release: remove the packages" in_chroot "$root" "apt-get purge -y tallymark python3-tallymark"
  if ls -d "$root"/usr/bin/tally "$root"/usr/lib*/tallymark "$root"/usr/lib/python3/dist-packages/tallymark* 2>/dev/null; then
    echo "try_deb: $release: these are left behind" >&2
    exit 1
  fi
done
if [ "$failed" ]; then
  echo "try_deb: FAILED:$failed" >&2
  exit 1
fi
echo "try_deb: passed on $*"
