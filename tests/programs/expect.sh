# For the tests in shell: what a command must do and say. Sourced.

passes() {
  "$@" >"$work/last.txt" 2>&1 || { cat "$work/last.txt" >&2; echo "failed, and should not: $*" >&2; exit 1; }
}
fails() {
  if "$@" >"$work/last.txt" 2>&1; then
    cat "$work/last.txt" >&2
    echo "passed, and should not: $*" >&2
    exit 1
  fi
}
# What the last of these commands printed holds this text.
says() {
  grep -qF -- "$1" "$work/last.txt" || { cat "$work/last.txt" >&2; echo "does not say: $1" >&2; exit 1; }
}
