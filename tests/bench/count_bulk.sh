#!/bin/sh
# count_bulk.sh COUNT-BULK: user instructions of bulk pipes for each MB, both ends together and no
# work beside: what is copied once takes at least 22 % less than what is copied twice, and what is
# made and read in place next to nothing.
set -eu
program=$1
messages=8 # as in count_bulk.c

if ! command -v callgrind_annotate >/dev/null; then
	echo "skipped: valgrind is not installed"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$work/counts" "$program" 2>"$work/err" || {
	cat "$work/err"
	exit 1
}
callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$work/counts" >"$work/list"

# Lines such as "16,821,537 (42.83%)  file:count_two_copies [program]".
count_of() {
	awk -v name="$1" -v messages="$messages" '
		index($0 " ", ":" name " ") {
			gsub(/,/, "", $1)
			print int($1 / messages)
			exit
		}' "$work/list"
}

two=$(count_of count_two_copies)
one=$(count_of count_one_copy)
none=$(count_of count_no_copy)
echo "instructions for each MB: copied twice $two, once $one, in place $none"
[ $((one * 100)) -le $((two * 78)) ] && [ $((none * 100)) -le "$two" ]
