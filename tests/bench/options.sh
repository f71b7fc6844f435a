#!/bin/sh
# options.sh NEARSIDE-BENCH: what it accepts, what it refuses, and what its files hold.
set -eu
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fails() {
	wanted=$1
	shift
	code=0
	"$bench" "$@" >out 2>err || code=$?
	[ "$code" = "$wanted" ] && grep -q nearside-bench: err || {
		cat out err
		echo "(nearside-bench $*: exit code $code, or no message)"
		exit 1
	}
}

"$bench" --help | grep -q -- --patience
"$bench" --list | grep -q '^round-trip-8 '
fails 2 --list no-such-row
fails 2 --list --repeats=4
fails 2 --list --repeats=65
fails 2 --list --repeats=7x
fails 2 --list --repeats=7.5
fails 2 --list --repeats=4294967303
fails 2 --list --patience=
fails 2 --list --patience=-1
fails 2 --list --patience=nan
fails 1 --patience=0 --out=no-such-folder memory

# Nobody takes half a list for a whole one.
for option in --help --list; do
	code=0
	"$bench" $option >/dev/full 2>err || code=$?
	[ $code = 1 ] && grep -q 'cannot write to standard output' err
done

# One row that nobody can disturb: its files agree with what is printed.
mkdir files
"$bench" --patience=0 --out=files memory >table
bytes=$(awk '/^    Nearside / { print $2 }' table)
grep -q "| $bytes bytes |" files/table.md
grep -q '"is_comparable": true' files/results.json
awk -v bytes="$bytes" '/^"Nearside"/ { found = $2 > bytes - 1 && $2 < bytes + 1 && $3 == 0 }
	END { exit !found }' files/memory.dat
[ "$(wc -l <files/goals.dat)" = 1 ]
"$bench" --patience=0 --json memory >json
grep -q '"is_comparable": true' json
