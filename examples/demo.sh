#!/usr/bin/env bash
# The main job on this machine, as `make demo` runs it after the build: what the machine can do, kernels of Llama 2 7B's
# SwiGLU block, a minute of tuning, a check on real weights, and the fastest configuration of each row count. What it makes
# is kept in build/demo; run again, it goes on tuning where it ended.
set -euo pipefail
cd "$(dirname "$0")/.."

gatefold=build/gatefold
out=build/demo
# The dtype is the default: bf16 where the CPU has its dot instruction, else f32.
block=(--preset llama-2-7b --rows 1,4,16,128)

say() { printf '\n== %s\n' "$*"; }
show() {
  printf '$ %s\n' "$*"
  "$@"
}

python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "demo: error: no python3 with numpy; on Debian: apt-get install python3-numpy" >&2
  exit 1
fi
mkdir -p "$out"

say "This machine"
show "$gatefold" doctor

say "Kernels with the analytic default schedules"
show "$gatefold" generate "${block[@]}" --name llama_ffn -o "$out/default"

say "A minute of tuning (kept in $out/tuning.db)"
show "$gatefold" tune "${block[@]}" --db "$out/tuning.db" --budget 60s

say "Kernels with what tuning found"
show "$gatefold" generate "${block[@]}" --schedule "$out/tuning.db" --name llama_ffn -o "$out/tuned"

say "Real weights: the six FFN layers of all-MiniLM-L6-v2 against f64"
show "$python" -B examples/minilm/minilm.py --gatefold "$gatefold" --work "$out/minilm"

say "The fastest configurations"
show "$gatefold" report --db "$out/tuning.db" --html "$out/report.html"
