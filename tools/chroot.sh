# shellcheck shell=sh
# For the tools that try something in a chroot of a Debian release. Sourced.
#
# They need root, mmdebstrap and a Debian mirror (MIRROR=URL for another than the default).

# Ends the tool, which has the given name, where a chroot cannot be made.
need_chroot() { # NAME
  if [ "$(id -u)" -ne 0 ]; then
    echo "$1: a chroot needs root" >&2
    exit 2
  fi
  if ! command -v mmdebstrap >/dev/null 2>&1; then
    echo "$1: mmdebstrap is missing: apt-get install mmdebstrap" >&2
    exit 2
  fi
}

# Makes one in an empty folder, with the packages that every Debian has and those of INCLUDE (a,b,…).
make_chroot() { # RELEASE FOLDER [INCLUDE]
  mmdebstrap --quiet --variant=minbase ${3:+"--include=$3"} "$1" "$2" ${MIRROR:+"$MIRROR"}
}

# Runs a shell command in one, in a mount and a process namespace of its own, which take the mounts and what is left
# running with them.
in_chroot() { # FOLDER COMMAND
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  # shellcheck disable=SC2016 # for the other shell
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    unshare --mount --pid --fork --kill-child sh -euc '
      mount -t proc proc "$1/proc"
      mount --rbind /dev "$1/dev"
      mount -t sysfs sysfs "$1/sys"
      mount -t tmpfs tmpfs "$1/run"
      mkdir -p "$1/run/lock"
      exec chroot "$1" sh -euc "$2"' try "$1" "$2"
}

# Does one step: says what and its seconds, or, where it fails, the end of its output, which is in the file $log.
step() { # WHAT COMMAND…
  what=$1
  shift
  begun=$(date +%s)
  # shellcheck disable=SC2154 # the tool's
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "$what: FAILED after $(($(date +%s) - begun)) s" >&2
    return 1
  fi
  echo "$what: $(($(date +%s) - begun)) s"
}
