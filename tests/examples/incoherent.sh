#!/bin/sh
# incoherent.sh DEVICE_PROGRAM EXAMPLES EXPECTED GRAPH: each program in EXAMPLES prints the
# same on memory that is not coherent, and the search in a graph finds the same, whether lines cross
# only when they are told to (0), by chance too, or by instructions.
set -eu
device=$1
examples=$2
expected=$3
graph=$4
work=$(mktemp -d)
pid=
end() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT
mkfifo "$work/ready"

serve() {
	file=/dev/shm/examples-incoherent-$$-$1
	"$device" serve --file "$file" --cores 2 --far 64M --incoherent "$1" >"$work/ready" &
	pid=$!
	read -r line <"$work/ready"
	echo "$line"
	export NEARSIDE_DEVICE="file:$file"
}

for how in 0 1 2 flush; do
	serve $how
	for example in "$examples"/*; do
		name=$(basename "$example")
		"$example" >"$work/$name"
		diff -u "$expected/$name.txt" "$work/$name"
	done
	"$graph" bfs --kron 10 --source 0 --verify --device "$NEARSIDE_DEVICE" >"$work/graph"
	kill "$pid"
	wait "$pid"
done
