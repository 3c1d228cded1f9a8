#!/bin/bash
# Installs the competitors that can be installed, times them against gatefold and prints one table.
# See --help. Everything goes into the build folder; nothing is installed into the system.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

shapes=swiglu:4096x11008,swiglu:896x4864,swiglu:2048x768
dtypes=f32,bf16
rows=1,2,4,8,16,32,64,128,512
threads=1,2
schedule=tuned
seconds=3
vs=all
batch=auto
peers=$root/build/peers
out=$root/build/peers-run
install=yes
warm=() json='' markdown=''

usage() {
  cat <<HELP
usage: bench/run_peers.sh [flags]   (build/gatefold must be built: make build)
  --shapes LIST     VARIANT:D_MODELxD_FF[:bias],…  ($shapes)
  --dtypes LIST     ($dtypes)
  --rows LIST       ($rows)
  --threads LIST    ($threads)
  --schedule S      of our kernels, as in gatefold generate ($schedule)
  --warm            weights stay in the cache; default: cold
  --seconds S       of each row count, all contenders together ($seconds)
  --vs LIST         competitors to install and run, or all ($vs)
  --batch N         competitors at once in memory; auto: as many as fit ($batch)
  --no-install      use what is in the folder of the competitors
  --peers DIR       that folder ($peers)
  --out DIR         libraries and the JSON of each run ($out)
  --json FILE       the table as JSON
  --markdown FILE   the table as Markdown
HELP
}

die() {
  echo "bench/run_peers.sh: error: $1" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --warm) warm=(--warm); shift; continue ;;
    --no-install) install=no; shift; continue ;;
  esac
  [ $# -gt 1 ] || die "$1: wanted a value (see --help)"
  case $1 in
    --shapes | --dtypes | --rows | --threads | --schedule | --seconds | --vs | --batch | --peers | --out | --json | --markdown)
      declare "${1#--}=$2" ;;
    *) die "unknown flag $1 (see --help)" ;;
  esac
  shift 2
done

gatefold=$root/build/gatefold
[ -x "$gatefold" ] || die "$gatefold is missing: run make build first"

if [ $install = yes ]; then
  only=()
  [ "$vs" = all ] || only=(--only "$vs")
  python3 -B "$root/bench/peers/install.py" "$peers" "${only[@]}"
fi
[ -d "$peers" ] || die "--peers: '$peers' is no folder"
if [ "$vs" = all ]; then
  names=$(cd "$peers" && for f in *.json; do [ -e "$f" ] && echo "${f%.json}"; done)
else
  names=${vs//,/ }
fi

# How many competitors' weights fit in memory at once. Each may hold the originals, two packed forms and its copies.
fitting() { # d_model d_ff
  if [ "$batch" != auto ]; then
    echo "$batch"
    return
  fi
  awk -v weights=$((3 * $1 * $2 * 4)) '/MemAvailable/ { n = int($2 * 1024 * 0.7 / (4 * weights + 4e8)) - 1; print n < 1 ? 1 : n }' \
    /proc/meminfo
}

# The chosen competitors in batches, one a line; our own control runs with the first.
batches() { # size
  local line=unfused count=0
  for name in $names; do
    [ "$name" != unfused ] || continue
    if [ $count -ge "$1" ]; then
      echo "$line"
      line='' count=0
    fi
    line=$line${line:+,}$name
    count=$((count + 1))
  done
  echo "$line"
}

mkdir -p "$out"
results=()
for shape in ${shapes//,/ }; do
  IFS=: read -r variant size bias <<<"$shape"
  d_model=${size%x*} d_ff=${size#*x}
  for dtype in ${dtypes//,/ }; do
    name=${variant}_${size}_$dtype${bias:+_bias}
    "$gatefold" generate --variant "$variant" --d-model "$d_model" --d-ff "$d_ff" ${bias:+--bias} --dtype "$dtype" \
      --rows "$rows" --schedule "$schedule" --name "$name" -o "$out" >&2
    for t in ${threads//,/ }; do
      number=0
      for list in $(batches "$(fitting "$d_model" "$d_ff")"); do
        number=$((number + 1))
        result=$out/$name.$t.$number.json
        echo "bench $name, $t threads, against $list" >&2
        # Exit status 1: a cell of ours is not ok; the table says which.
        "$gatefold" bench --library "$out/$name.json" --rows "$rows" --threads "$t" --seconds "$seconds" "${warm[@]}" \
          --peers "$peers" --vs "$list" --json >"$result" || [ $? = 1 ]
        [ -s "$result" ] || die "$name: bench gave no figures"
        results+=("$result")
      done
    done
  done
done
python3 -B "$root/bench/peers_table.py" "${results[@]}" ${json:+--json "$json"} ${markdown:+--markdown "$markdown"}
