#!/bin/bash
# Tries Tallymark on a machine with a GPU, and says of each part whether it passed.
#
#   tools/try_gpu.sh [OPTION…] [PART…]     PART (default: all): peers times cold card gate counts cpu undeclared faults
#
#   --quick              fewer cases and rounds: about five minutes on 16 CPUs, ten without this; with less time, name
#                        parts, or add --within 230
#   --tally PATH         tally to try (default: of PATH, else build/release/tally)
#   --python PATH        interpreter with PyTorch for CUDA, 3.11 or newer (default: python3)
#   --valgrind FOLDER    counts by a Valgrind that is not installed: a package's unpacked files, FOLDER/usr/bin/valgrind
#   --output FOLDER      where report.txt, peers.json, times.json and records.tar.gz go (default: build/try_gpu)
#   --peers FILE         figures of an earlier `peers`, for `times` alone
#   --within SECONDS     for all parts; one that would have less than a third of its time is not tried
#   --in-turn            never two parts at once (otherwise those that count are beside each other on 16 CPUs, and those
#                        of CPU cases beside `gate`)
#   --device cpu         without a GPU, to try this script: small shapes on the CPU, and no `device =`
#
# Needs suites/ and bench/gpu/ beside it, and a C++ compiler. Settings of the GPU are left as they are. Parts: PyTorch's
# own figures (peers); Tallymark's beside them (times); the same with a cold cache
# (cold); what is read of the card, its lock and settings of PyTorch (card); planted changes (gate); counts on a device, twice (counts); the
# standard suite of CPU cases (cpu); statements that say nothing of a device (undeclared); out of memory, an assert and a
# hang on the device, no device (faults).
# Exit code 1 when a part failed, or none passed.
set -u
self=$(realpath "$0")
root=$(dirname "$(dirname "$self")")
all_parts=(peers times cold card gate counts cpu undeclared faults)
side_by_side=" counts cpu undeclared faults "
impossible=77
reserve=20 # seconds of a part in which what it has by then is judged

usage() {
  sed -n '2,/^set -u/p' "$self" | grep '^#' | cut -c3-
  exit 2
}

# ------------------------------------------------------------------------------------------- what the parts have in common

# Says what it runs, ends it after SECONDS, or earlier where its part ends before, and says how it ended. --foreground: it
# stays in the part's group of processes, which ends together.
run() {
  local seconds=$1 code begin=$SECONDS left
  left=$((TRY_LIMIT - SECONDS - reserve))
  shift
  if [ "$seconds" -gt "$left" ]; then seconds=$left; fi
  printf '$ %s\n' "$*"
  if [ "$seconds" -lt 5 ]; then
    echo "(no time is left for it)"
    return 124
  fi
  timeout --foreground --kill-after=10 "$seconds" "$@"
  code=$?
  case $code in
    124 | 137) echo "(ended after its $seconds s)" ;;
    *) echo "(exit $code, $((SECONDS - begin)) s)" ;;
  esac
  return $code
}
tally() {
  local seconds=$1 command=$2
  shift 2
  run "$seconds" "$TRY_TALLY" "$command" "$@" --python "$TRY_PYTHON" --cores "${TRY_CORES:-$(cpus)}" --server off \
    --color never --width 140
}
check() { "$TRY_PYTHON" "$root/bench/gpu/check.py" "$@"; }
quick() { [ "$TRY_QUICK" = yes ]; }
on_cpu() { [ "$TRY_DEVICE" = cpu ]; }
# The suite of standard input as this try wants it.
adapted() {
  local hang='s/torch.cuda._sleep(.*)/__import__("time").sleep(1000)/'
  if on_cpu; then
    sed -e '/^device = "cuda"$/d' -e 's/"cuda"/"cpu"/' -e "$hang" -e 's/2\*\*24/2**14/' -e 's/2\*\*25/2**18/' -e 's/1024, 1024/64, 64/'
  else cat; fi
}
workloads() { "$TRY_PYTHON" "$root/bench/gpu/workloads.py" --device "$TRY_DEVICE" "$@"; }
# The CPUs that this process may use, as a list with commas.
cpus() { "$TRY_PYTHON" -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep=",")'; }
# share FROM TO: those of them between two parts of sixteen.
share() {
  local list
  IFS=, read -ra list <<<"${TRY_CORES:-$(cpus)}"
  local count=${#list[@]}
  local from=$(($1 * count / 16)) to=$(($2 * count / 16))
  (IFS=, && echo "${list[*]:from:to-from}")
}
need_gpu() {
  if on_cpu || [ "$TRY_GPUS" -gt 0 ]; then return 0; fi
  echo "PyTorch finds no GPU (--device cpu tries the script alone)"
  exit $impossible
}

# --------------------------------------------------------------------------------------------------------------- the parts

part_peers() {
  need_gpu
  local options=(--device "$TRY_DEVICE" --json "$TRY_OUTPUT/peers.json")
  if quick; then options+=(--rounds 2 --processes 1 --min-run-time 0.2); fi
  if on_cpu; then options+=(--rounds 1 --processes 1 --min-run-time 0.02); fi
  run 300 "$TRY_PYTHON" "$root/bench/gpu/peers.py" "${options[@]}"
}

part_times() {
  need_gpu
  local suite=$TRY_WORK/workloads.toml records=("$TRY_OUTPUT/times.json")
  local long=(--wall-only --min-run-time 0.5 --max-run-time 3)
  if quick; then long=(--wall-only --min-run-time 0.2 --max-run-time 1); fi
  workloads >"$suite"
  tally 150 run "$suite" "${long[@]}" --json "${records[0]}"
  if ! quick; then
    records+=("$TRY_WORK/times-again.json")
    tally 150 run "$suite" "${long[@]}" --json "${records[1]}"
  fi
  check times "${records[@]}" --peers "$TRY_PEERS" --expect "$TRY_DEVICE"
}

part_cold() {
  need_gpu
  local suite=$TRY_WORK/cold.toml record=$TRY_OUTPUT/cold.json only=(--only 'add 2^24' --only 'matmul 4096 bf16' --only 'add 64')
  if quick; then only=(--only 'add 2^24'); fi
  workloads "${only[@]}" | sed 's/^device = "cuda"$/&\nflush = "l2"/' >"$suite"
  tally 120 run "$suite" --filter language=python --wall-only --min-run-time 0.3 --max-run-time 2 --json "$record"
  check cold "$record" --peers "$TRY_PEERS" --expect "$TRY_DEVICE"
}

# A matrix product with this setting of TF32, as a record of this name.
product() {
  adapted >"$TRY_WORK/product-$1.toml" <<TOML
schema = 1
toolchain = "torch"
[[benchmark]]
label = ["product"]
py = 'x @ x'
device = "cuda"
setup = { py = 'torch.backends.cuda.matmul.allow_tf32 = $2; x = torch.ones(1024, 1024, device="cuda")' }
TOML
  tally 60 run "$TRY_WORK/product-$1.toml" --wall-only --json "$TRY_WORK/product-$1.json"
}
part_card() {
  need_gpu
  local bad=0 locks=$TRY_WORK/locks card reserve=2
  product on True || bad=1
  check card "$TRY_WORK/product-on.json" --expect "$TRY_DEVICE" || bad=1
  if on_cpu; then return $bad; fi
  if ! quick; then
    product off False || bad=1
    expect 0 'cuda.matmul.allow_tf32: True' compare "$TRY_WORK/product-on.json" "$TRY_WORK/product-off.json" || bad=1
  fi
  # Somebody else takes times on every card meanwhile.
  mkdir -p "$locks"
  for card in $(nvidia-smi --query-gpu=uuid --format=csv,noheader) cuda; do
    # No process of it outlives the part, which ends once its output is closed.
    (exec 9>"$locks/device-$card" && flock 9 && exec sleep 60) >/dev/null 2>&1 &
  done
  sleep 1
  TALLY_CPU_LOCKS=$locks expect 1 'has the device' run "$TRY_WORK/product-on.toml" --wall-only --max-wait 1 \
    --python "$TRY_PYTHON" --server off || bad=1
  kill $(jobs -p) 2>/dev/null
  return $bad
}

# gate_suite NAME SMALL SHAPE: a statement on few numbers, and one on SHAPE.
gate_suite() {
  adapted >"$TRY_WORK/gate-$1.toml" <<TOML
schema = 1
toolchain = "torch"
[[benchmark]]
label = ["small"]
py = '$2'
device = "cuda"
setup = { py = 'x = torch.ones(64, device="cuda")' }
[[benchmark]]
label = ["large"]
py = 'x + 1'
device = "cuda"
setup = { py = 'x = torch.ones($3, device="cuda")' }
TOML
  tally 90 run "$TRY_WORK/gate-$1.toml" --wall-only --json "$TRY_WORK/gate-$1.json"
}
# expect CODE TEXT COMMAND…: it ends with CODE and prints TEXT.
expect() {
  local code=$1 text=$2 log=$TRY_WORK/expect.log reserve=2
  shift 2
  run 30 "$TRY_TALLY" "$@" --color never --width 140 >"$log" 2>&1
  local found=$?
  cat "$log"
  if [ $found = "$code" ] && grep -q -- "$text" "$log"; then echo "right: exit $code, and it says '$text'"; else
    echo "WRONG: exit $code and '$text' were expected, exit $found came"
    return 1
  fi
}
part_gate() {
  need_gpu
  local base=$TRY_WORK/gate-base.json changed=$TRY_WORK/gate-changed.json bad=0
  local kernels='kernels=+0' time='device_time=+3%' kernel=elementwise
  if on_cpu; then kernels='time=+3%' time='time=+3%' kernel=small; fi
  gate_suite base 'x + 1' '2**24'
  gate_suite changed 'x + 1 + 1' '2**25'
  expect 3 small check "$base" "$changed" --limit "$kernels" || bad=1
  expect 3 large check "$base" "$changed" --limit "$time" || bad=1
  expect 0 small compare "$base" "$changed" || bad=1
  expect 0 large compare "$base" "$changed" || bad=1
  expect 0 "$kernel" explain "$base" "$changed" || bad=1
  if ! quick; then
    gate_suite again 'x + 1' '2**24'
    expect 0 pass check "$base" "$TRY_WORK/gate-again.json" --limit "$kernels" --limit-for "large*:$time" || bad=1
  fi
  return $bad
}

part_counts() {
  need_gpu
  local only=(--only 'add 64' --only 'add 2^24' --only 'training step') one two
  if quick; then only=(--only 'add 64'); fi
  workloads "${only[@]}" >"$TRY_WORK/counts.toml"
  local arguments=(run "$TRY_WORK/counts.toml" --counts-only --host-timeout 250 --timeout 120)
  one=$(share 0 8) two=$(share 8 16)
  # A host starts for a minute here: two runs at once, where there are CPUs for both.
  if [ "$(cpus | tr ',' '\n' | wc -l)" -ge 8 ]; then
    TRY_CORES=$one tally 280 "${arguments[@]}" --json "$TRY_WORK/counts.json" &
    TRY_CORES=$two tally 280 "${arguments[@]}" --json "$TRY_WORK/counts-again.json"
    wait $!
  else
    tally 280 "${arguments[@]}" --json "$TRY_WORK/counts.json"
    tally 280 "${arguments[@]}" --json "$TRY_WORK/counts-again.json"
  fi
  check counts "$TRY_WORK/counts.json" "$TRY_WORK/counts-again.json"
}

part_cpu() {
  local suite=torch_standard
  if quick || on_cpu; then suite=torch_quick; fi
  tally 280 run "$root/suites/$suite.toml" --counts-only --json "$TRY_WORK/cpu.json"
  check cpu "$TRY_WORK/cpu.json"
}

part_undeclared() {
  need_gpu
  local device=cuda idiom='d = "cuda" if torch.cuda.is_available() else "cpu"' said=0
  local common=(--toolchain torch --language python --host-timeout 250 --timeout 120)
  local plain=$TRY_WORK/undeclared-plain.json asks=$TRY_WORK/undeclared-idiom.json
  local log both=()
  if on_cpu; then device=cpu; fi
  if quick; then both=(--wall-only); fi
  common+=("${both[@]}")
  tally 260 time 'x + 1' --setup "x = torch.ones(64, device=\"$device\")" "${common[@]}" --json "$plain" 2>&1 |
    tee "$TRY_WORK/plain.log"
  tally 260 time 'x + 1' --setup "$idiom"$'\nx = torch.ones(64, device=d)' "${common[@]}" --json "$asks" 2>&1 |
    tee "$TRY_WORK/idiom.log"
  for log in plain idiom; do
    # The command itself is printed, too.
    if ! sed -e '/^\$/d' -e '/is_available/d' -e '/torch.ones/d' "$TRY_WORK/$log.log" | grep -qi -e cuda -e device; then
      echo "$log: nothing printed names the device"
      on_cpu || said=1
    fi
  done
  check devices "$plain" "$asks" --expect "$device" && [ $said = 0 ]
}

part_faults() {
  need_gpu
  local suite=$TRY_WORK/faults.toml hidden=$TRY_WORK/hidden.toml options=(--wall-only --retries 0 --host-timeout 60)
  adapted >"$suite" <<'TOML'
schema = 1
toolchain = "torch"
[setup.small]
py = 'x = torch.ones(64, device="cuda")'
[[benchmark]]
label = ["1", "out of memory"]
py = 'torch.empty(2**45, device="cuda")'
device = "cuda"
[[benchmark]]
label = ["2", "good after it"]
py = 'x + 1'
device = "cuda"
setup = "small"
[[benchmark]]
label = ["3", "assert"]
py = 'torch.gather(x, 0, index)'
device = "cuda"
setup = ["small", { py = 'index = torch.tensor([99], device="cuda")' }]
[[benchmark]]
label = ["4", "good after it"]
py = 'x + 1'
device = "cuda"
setup = "small"
[[benchmark]]
label = ["5", "hang"]
py = 'torch.cuda._sleep(10**12)'
device = "cuda"
timeout = "8 s"
setup = "small"
[[benchmark]]
label = ["6", "good after it"]
py = 'x + 1'
device = "cuda"
setup = "small"
TOML
  # Device cases alone: with a CPU's share of the host, the good ones may run before their fault. One CPU keeps the order.
  TRY_CORES=$(share 0 16 | cut -d, -f1) tally 150 run "$suite" "${options[@]}" --json "$TRY_WORK/faults.json"
  cat >"$hidden" <<'TOML'
schema = 1
toolchain = "torch"
[[benchmark]]
label = ["7", "no device"]
py = 'x + 1'
device = "cuda"
setup = { py = 'x = torch.ones(64, device="cuda")' }
[[benchmark]]
label = ["8", "good on the CPU"]
py = 'x + 1'
setup = { py = 'x = torch.ones(64)' }
TOML
  if on_cpu; then sed -i '/^device = /d' "$hidden"; fi
  CUDA_VISIBLE_DEVICES=-1 tally 90 run "$hidden" "${options[@]}" --keep-env CUDA_VISIBLE_DEVICES --json "$TRY_WORK/hidden.json"
  check faults "$TRY_WORK/faults.json" "$TRY_WORK/hidden.json"
}

# ----------------------------------------------------------------------------------------------------------------- the try

limit_of() {
  local long
  case $1 in
    peers) long=150 ;;
    gate | faults) long=240 ;;
    cpu) long=400 ;; # with nothing in the cache, the standard suite compiles for minutes
    *) long=300 ;;
  esac
  if quick; then long=$((long / 2)); fi
  echo "$long"
}
# By itself, with a limit of its own, in a group of processes of its own; its lines begin with its name.
try_part() {
  local part=$1 whole limit begin=$SECONDS code said
  whole=$(limit_of "$part")
  limit=$whole
  if [ -n "$within" ] && [ $((within - SECONDS)) -lt "$limit" ]; then limit=$((within - SECONDS)); fi
  if [ "$limit" -lt $((whole / 3)) ]; then
    echo "$part: too little time is left"
    code=$impossible
  else
    TRY_LIMIT=$limit timeout --kill-after=15 "$limit" bash "$self" --inside "$part" 2>&1 | sed -u "s/^/$part: /"
    code=${PIPESTATUS[0]}
  fi
  case $code in
    0) said=passed ;;
    "$impossible") said="not possible" ;;
    124 | 137) said="failed: not done in $limit s" ;;
    *) said=failed ;;
  esac
  printf '%s|%s|%d\n' "$part" "$said" $((SECONDS - begin)) >"$TRY_WORK/$part.verdict"
  echo "== $part: $said, $((SECONDS - begin)) s"
  keep
}
# What there is so far, so that nothing is lost with whoever ends the script. Parts may end at once: flock.
keep() {
  (flock 9 && tar -C "$TRY_WORK" -czf "$TRY_OUTPUT/records.tar.gz.part" --exclude=tools --exclude='*.profiles' . 2>/dev/null
    mv "$TRY_OUTPUT/records.tar.gz.part" "$TRY_OUTPUT/records.tar.gz") 9>"$TRY_WORK/keep.lock"
}
describe() {
  local what=name,driver_version,clocks.sm,clocks.max.sm,power.draw,power.limit,temperature.gpu
  nvidia-smi --query-gpu="$what" --format=csv 2>/dev/null || echo "no nvidia-smi"
}
beside() {
  [ "$in_turn" = no ] && [ "$(cpus | tr ',' '\n' | wc -l)" -ge 16 ] && [[ $side_by_side == *" $1 "* ]]
}
# A part beside others, on its share of the CPUs. Adds to `pids`.
try_beside() {
  local cores=
  case $1 in
    counts) cores=$(share 0 6) ;;
    cpu) cores=$(share 6 13) ;;
    undeclared) cores=$(share 13 15) ;;
    faults) cores=$(share 15 16) ;;
  esac
  TRY_CORES=$cores try_part "$1" &
  pids+=($!)
}
try_all() {
  local part pids=() started=' '
  uname -srm
  describe
  TRY_GPUS=$("$TRY_PYTHON" -c 'import sys, torch
print("Python", sys.version.split()[0], "PyTorch", torch.__version__, file=sys.stderr)
print(torch.cuda.device_count())') || echo "$TRY_PYTHON cannot import PyTorch"
  export TRY_GPUS=${TRY_GPUS:-0}
  "$TRY_TALLY" --version
  for part in "${parts[@]}"; do
    # What is judged of a gate's records is no time of the host's.
    if [ "$part" = gate ] && beside cpu && [[ " ${parts[*]} " == *" cpu "* ]]; then
      try_beside cpu
      started=' cpu '
    fi
    if ! beside "$part"; then try_part "$part"; fi
  done
  for part in "${parts[@]}"; do
    if beside "$part" && [[ $started != *" $part "* ]]; then try_beside "$part"; fi
  done
  # It imports and compiles, which takes as long as a part.
  if ! quick; then
    timeout 90 "$TRY_TALLY" doctor >"$TRY_WORK/doctor.log" 2>&1 &
    pids+=($!)
  fi
  if [ ${#pids[@]} -gt 0 ]; then wait "${pids[@]}"; fi
  describe
  cat "$TRY_WORK/doctor.log" 2>/dev/null
  echo
  echo "| part | verdict | seconds |"
  echo "|---|---|---|"
  for part in "${parts[@]}"; do
    awk -F'|' '{ print "| " $1 " | " $2 " | " $3 " |" }' "$TRY_WORK/$part.verdict"
  done
}

if [ "${1:-}" = --inside ]; then
  "part_$2"
  exit
fi

within='' in_turn=no valgrind=''
TRY_QUICK=no TRY_TALLY='' TRY_PYTHON=python3 TRY_DEVICE=cuda TRY_OUTPUT=$root/build/try_gpu TRY_PEERS='' TRY_CORES=''
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick) TRY_QUICK=yes ;;
    --in-turn) in_turn=yes ;;
    --tally | --python | --valgrind | --output | --peers | --within | --device)
      if [ $# -lt 2 ]; then usage >&2; fi
      case $1 in
        --tally) TRY_TALLY=$2 ;;
        --python) TRY_PYTHON=$2 ;;
        --valgrind) valgrind=$2 ;;
        --output) TRY_OUTPUT=$2 ;;
        --peers) TRY_PEERS=$2 ;;
        --within) within=$2 ;;
        --device) TRY_DEVICE=$2 ;;
      esac
      shift
      ;;
    -*) usage >&2 ;;
    *)
      if [[ " ${all_parts[*]} " != *" $1 "* ]]; then usage >&2; fi
      parts+=("$1")
      ;;
  esac
  shift
done
if [ ${#parts[@]} = 0 ]; then parts=("${all_parts[@]}"); fi
# Programs alone: `tally` is a function here, too.
TRY_TALLY=$(type -P "${TRY_TALLY:-tally}" || echo "${TRY_TALLY:-$root/build/release/tally}")
TRY_PYTHON=$(type -P "$TRY_PYTHON") || { echo "try_gpu: no such interpreter" >&2 && exit 2; }
[ -x "$TRY_TALLY" ] || { echo "try_gpu: $TRY_TALLY is not there (--tally PATH)" >&2 && exit 2; }
mkdir -p "$TRY_OUTPUT"
TRY_OUTPUT=$(realpath "$TRY_OUTPUT")
TRY_PEERS=$(realpath "${TRY_PEERS:-$TRY_OUTPUT/peers.json}")
TRY_WORK=$(mktemp -d)
trap 'rm -rf "$TRY_WORK"' EXIT
if [ -n "$valgrind" ]; then
  # Its own folder is built into it. A word of the environment says otherwise, but measured processes do not get it.
  valgrind=$(realpath "$valgrind")
  mkdir "$TRY_WORK/tools"
  printf '#!/bin/sh\nVALGRIND_LIB=%q exec %q "$@"\n' "$valgrind/usr/libexec/valgrind" "$valgrind/usr/bin/valgrind.bin" \
    >"$TRY_WORK/tools/valgrind"
  chmod +x "$TRY_WORK/tools/valgrind"
  PATH=$TRY_WORK/tools:$PATH
fi
export TRY_QUICK TRY_TALLY TRY_PYTHON TRY_DEVICE TRY_OUTPUT TRY_PEERS TRY_WORK TRY_CORES PATH
try_all 2>&1 | tee "$TRY_OUTPUT/report.txt"
grep -q '|passed' "$TRY_WORK"/*.verdict && ! grep -q '|failed' "$TRY_WORK"/*.verdict
