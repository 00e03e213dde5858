#!/bin/sh
# Makes an archive whose objects keep to themselves what they have of the standard library.
#
#   archive.sh AR TARGET OBJECT...      LD, NM and OBJCOPY name GNU's binutils
#
# What is inline there is a weak definition in each object. Linked into a user's program it would take the place of
# libstdc++'s: seven functions of std::string did, made by another compiler for another standard, and a formatting
# benchmark of spdlog's read 1.2 % more than without tally.
set -eu
ar=$1
target=$2
shift 2
scratch=$target.private
rm -rf "$scratch"
mkdir -p "$scratch"
number=0
for object; do
  number=$((number + 1))
  kept=$scratch/$number-${object##*/}
  # Members of groups become sections like others: the linker would drop a group that another object has as well.
  "$LD" -r --force-group-allocation -o "$scratch/one.o" "$object"
  "$NM" "$scratch/one.o" |
    awk '$2 ~ /^[WVu]$/ && $3 ~ /^_Z(GV|GR|T[VIST])?Z*N?[VrK]*[RO]?(St|S[absiod]|9__gnu_cxx)/ {print $3}' >"$scratch/names"
  # Of an empty list objcopy makes a failure, without a word.
  if ! [ -s "$scratch/names" ]; then
    mv "$scratch/one.o" "$kept"
    continue
  fi
  # g++'s symbols that are one in a whole process cannot be made local: they get names of this object's own.
  "$NM" "$scratch/one.o" | awk -v own="tally.$number." 'FNR == NR {listed[$1]; next} $2 == "u" && $3 in listed {print $3, own $3}' \
    "$scratch/names" - >"$scratch/unique"
  "$OBJCOPY" --localize-symbols="$scratch/names" --redefine-syms="$scratch/unique" "$scratch/one.o" "$kept"
done
rm -f "$scratch/one.o" "$scratch/names" "$scratch/unique"
"$ar" qcD "$target" "$scratch"/*.o
rm -rf "$scratch"
