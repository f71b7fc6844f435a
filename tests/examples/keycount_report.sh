#!/bin/sh
# keycount_report.sh NPROCC SOURCE: the key-counting server keeps its promise of smallness: a frame
# of at most two lines, at most 1 KB of riscv64 code.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$("$1" --report=json -c "$2" -o "$work/keycount.nk")
printf '%s\n' "$report"

# number NAME: the value of the first member of that name
number() {
	printf '%s\n' "$report" | grep -o "\"$1\": *[0-9]*" | head -n 1 | grep -o '[0-9]*$'
}

[ "$(number frame_bytes)" -le 128 ]
[ "$(number riscv64)" -le 1024 ]
[ "$(number far_accesses)" -ge 1 ]
