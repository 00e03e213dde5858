#!/bin/bash
# Makes a release of what is committed: checks it, builds the wheel, the Debian packages and the source archive, writes their
# checksums and the tag vVERSION. It pushes nothing.
#
#   tools/release.sh [--dry-run] [--without-nightly]      --dry-run: only checks, and says what is missing
#
# The version is that of CMakeLists.txt. By rule it is one step after the newest tag: X+1.0.0, X.Y+1.0 or X.Y.Z+1. Where counts
# are no longer compared with those of that tag (kCountingVersion), or records have another schema (kRecordSchema), it is not
# the last of these. Files are in build/released/VERSION. Exit code: 1 where something is in the way, with each on a line.
set -euo pipefail
cd "$(dirname "$0")/.."
dry=
nightly=yes
for option in "$@"; do
  case $option in
    --dry-run) dry=yes ;;
    --without-nightly) nightly= ;;
    *)
      echo "release: there is no option '$option': --dry-run, --without-nightly" >&2
      exit 2
      ;;
  esac
done

failed=0
problem() {
  echo "release: $*" >&2
  failed=1
}

# The group of the pattern in its first line of a file, at a commit where one is given.
found() {
  local text
  text=$(if [ $# -gt 2 ]; then git show "$3:$2" 2>/dev/null || true; else cat "$2"; fi)
  sed -nE "s/$1/\1/p" <<<"$text" | sed -n 1p
}

check_clean() {
  if [ -n "$(git status --porcelain)" ]; then problem "the working tree is not clean: commit its changes, or revert them"; fi
}

check_versions() {
  local place here
  for place in \
    "python/pyproject.toml:^version = \"(.*)\"$" \
    "python/tallymark/__init__.py:^__version__ = \"(.*)\"$" \
    "packaging/conda/meta.yaml:.*set version = \"(.*)\".*" \
    "debian/changelog:^tallymark \((.*)-[^-]*\) .*"; do
    here=$(found "${place#*:}" "${place%%:*}")
    if [ "$here" != "$version" ]; then problem "${place%%:*} says '$here', and CMakeLists.txt '$version'"; fi
  done
}

check_changelog() {
  local entry
  entry=$(awk -v head="## $version" 'index($0, head " ") == 1 || $0 == head { on = 1; print; next } /^## / { on = 0 } on' CHANGELOG.md)
  if [ -z "$entry" ]; then
    problem "CHANGELOG.md has no entry '## $version (DATE)'"
  elif ! sed -n 1p <<<"$entry" | grep -qE '\([0-9]{4}-[0-9]{2}-[0-9]{2}\)$'; then
    problem "CHANGELOG.md: the entry of $version has no date: '$(sed -n 1p <<<"$entry")'"
  elif ! sed 1d <<<"$entry" | grep -q '[^[:space:]]'; then
    problem "CHANGELOG.md: the entry of $version is empty"
  fi
}

# One step after the newest tag, and one that says whether counts can be compared.
check_step() {
  local newest major minor patch
  if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then problem "the tag v$version exists"; fi
  newest=$(git tag --list 'v[0-9]*.[0-9]*.[0-9]*' --sort=-version:refname | awk -v own="v$version" '$0 != own && !n++')
  if [ -z "$newest" ]; then return; fi
  IFS=. read -r major minor patch <<<"${newest#v}"
  case $version in
    "$major.$minor.$((patch + 1))")
      local fact place
      for place in src/measurement/settings.h:kCountingVersion src/record/record.h:kRecordSchema; do
        fact=".*${place#*:} = ([0-9]+);.*"
        if [ "$(found "$fact" "${place%%:*}")" != "$(found "$fact" "${place%%:*}" "$newest")" ]; then
          problem "${place#*:} has changed since $newest: that is $major.$((minor + 1)).0 at least, not $version"
        fi
      done
      ;;
    "$major.$((minor + 1)).0" | "$((major + 1)).0.0") ;;
    *) problem "$version is no step after $newest: $major.$minor.$((patch + 1)), $major.$((minor + 1)).0 or $((major + 1)).0.0" ;;
  esac
}

# What `make nightly` wrote of this commit.
check_nightly() {
  local part missing=()
  for part in sanitize fuzz tidy busy deb source references; do
    grep -qs "^$commit passed" "build/nightly/$part.result" || missing+=("$part")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    problem "make nightly has not passed at this commit: ${missing[*]} (--without-nightly releases without)"
  fi
}

version=$(found '^project\(tallymark VERSION ([0-9.]+).*' CMakeLists.txt)
commit=$(git rev-parse HEAD)
folder=build/released/$version
check_clean
check_versions
check_changelog
check_step
if [ $nightly ]; then check_nightly; fi
if [ $failed -ne 0 ]; then exit 1; fi
echo "release: $version of ${commit:0:12} is in order"
if [ $dry ]; then
  echo "release: without --dry-run, make wheel deb source, checksums in $folder and the tag v$version follow"
  exit 0
fi

make wheel deb source
rm -rf "$folder"
mkdir -p "$folder"
cp build/wheel/tallymark-"$version"-*.whl build/deb/*_"$version"-*.deb build/source/tallymark-"$version".tar.gz "$folder/"
check_clean # nothing of it was built from, or has become, something else than what is committed
if [ $failed -ne 0 ]; then exit 1; fi
(cd "$folder" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
git tag -a "v$version" -m "Tallymark $version"
echo "release: tagged; next: git push origin v$version, and the files of $folder"
