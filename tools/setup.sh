#!/bin/sh
# Installs the Debian packages that lists name and this machine lacks.
#
#   tools/setup.sh [LIST...]      LIST: packages.txt, what building and running need; packages-test.txt adds the rest
#
# Needs root (or sudo) and a package mirror only when something is missing.
set -eu
cd "$(dirname "$0")/.."
lists=${*:-packages.txt}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: this is not Debian (no dpkg-query); install what $lists names by other means, then run: make build SETUP=no" >&2
  exit 2
fi

# shellcheck disable=SC2086
wanted=$(cat $lists | grep -v -E '^[[:space:]]*(#|$)')
missing=""
missing_of() {
  # What another package provides is there too: NodeSource's nodejs provides npm, and conflicts with Debian's.
  present=" $(dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Provides}\n' | sed -n 's/^ii  *//p' | tr ',\n' '  ') "
  missing=""
  for package in $wanted; do
    case $present in
      *" $package "*) ;;
      *) missing="$missing $package" ;;
    esac
  done
}

missing_of
if [ -z "$missing" ]; then
  echo "setup: all $(echo "$wanted" | wc -l) packages are present"
  exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    echo "setup: these packages are missing, and installing them needs root:$missing" >&2
    echo "setup: run as root: apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 2
  fi
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
# What is installed here is for building and testing: none of it is to start a service (Slurm's munge would).
policy=/usr/sbin/policy-rc.d
own_policy=no
tidy() {
  rm -f "$log"
  if [ "$own_policy" = yes ]; then $as_root rm -f "$policy"; fi
}
trap tidy EXIT
if [ ! -e "$policy" ]; then
  own_policy=yes
  printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
  $as_root chmod 755 "$policy"
fi
# One mirror of several that is out of reach is no reason to stop: whether the packages can be had is what counts.
updated=yes
$as_root apt-get update -qq -o Acquire::Retries=2 >"$log" 2>&1 || updated=no
grep -q "Failed to fetch" "$log" && updated=no  # for which apt-get exits with 0
# shellcheck disable=SC2086
if ! $as_root apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 $missing >>"$log" 2>&1; then
  tail -n 30 "$log" >&2
  if [ "$updated" = no ]; then
    echo "setup: the package lists could not be fetched: is there a network, and a Debian mirror in /etc/apt/sources.list?" >&2
  fi
  echo "setup: apt-get install failed; its last lines above say why. Not installed:$missing" >&2
  exit 2
fi
count=$(echo "$missing" | wc -w)
missing_of
if [ -n "$missing" ]; then
  echo "setup: apt-get install says that it worked, and yet these are missing:$missing" >&2
  exit 2
fi
echo "setup: installed $count packages"
