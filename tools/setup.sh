#!/bin/sh
# Installs the Debian packages that packages.txt names and this machine lacks.
# Needs root (or sudo) and a package mirror only when something is missing.
set -eu
cd "$(dirname "$0")/.."

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: this is not Debian (no dpkg-query); install what packages.txt names by other means, then run: make build SETUP=no" >&2
  exit 2
fi

wanted=$(grep -v -E '^[[:space:]]*(#|$)' packages.txt)
# shellcheck disable=SC2086
present=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^ii  *//p' || true)
missing=""
for package in $wanted; do
  echo "$present" | grep -qx "$package" || missing="$missing $package"
done

if [ -z "$missing" ]; then
  echo "setup: all $(echo "$wanted" | wc -l) packages are present"
  exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    echo "setup: these packages are missing and installing them needs root:$missing" >&2
    echo "setup: run as root: apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 2
  fi
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
if ! $as_root apt-get update -qq -o Acquire::Retries=2; then
  echo "setup: apt-get update failed: is there a network, and a Debian mirror in /etc/apt/sources.list?" >&2
  exit 2
fi
# shellcheck disable=SC2086
if ! $as_root apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 $missing >/tmp/tallymark-setup.$$ 2>&1; then
  cat /tmp/tallymark-setup.$$ >&2
  rm -f /tmp/tallymark-setup.$$
  echo "setup: apt-get install failed; its last lines above say why. Not installed:$missing" >&2
  exit 2
fi
rm -f /tmp/tallymark-setup.$$
echo "setup: installed $(echo "$missing" | wc -w) packages"
