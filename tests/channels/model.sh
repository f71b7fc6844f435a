#!/bin/sh
# model.sh [MODEL.pml...] - checks the models of the channels' protocol with Spin: each must hold, and each of its broken
# variants must be caught. Default: all of channels/model.
#
# A model says in the comment that opens it what is to be run:
#
#	 * bound: what the search covers                           printed
#	 * runs: OPTION,OPTION OPTION                              right options, one search for each word; also without any
#	 * variants: NAME NAME,OPTION                              broken on purpose, the NAME first
#
# An option is NAME or NAME=VALUE and becomes a -D. A line that begins with more than one blank after the star explains.
set -u

required="NO_MEMBARRIER CURSOR_ONLY_QUARTER ID_REUSED_EARLY CORE_WAITS NO_CURSOR_SLOT"
here=$(cd "$(dirname "$0")" && pwd)
failed=0
seen=" "

fail() {
	echo "FAILED: $*"
	failed=1
}

# words MODEL KEY: what stands behind " * KEY: " in the first comment.
words() {
	sed -n "/\*\//q; s/^ \* $2: *//p" "$1" | tr '\n' ' '
}

# search MODEL OPTIONS: Spin's report in $folder/report; false if the model does not build.
search() {
	flags=
	for option in $(echo "$2" | tr ',' ' '); do
		flags="$flags -D$option"
	done
	# shellcheck disable=SC2086
	(
		cd "$folder" && rm -f pan* && spin -a $flags "$1" &&
			"${CC:-cc}" -O2 -w -DSAFETY -DVECTORSZ=4096 -DMEMLIM=1024 -o pan pan.c
	) >"$folder/report" 2>&1 || return 1
	(cd "$folder" && ./pan -m100000 -w22) >"$folder/report" 2>&1
	grep -q '^State-vector.*errors:' "$folder/report"
}

# A complete search without error, and no part of the model that was left out.
holds() {
	grep -q 'errors: 0$' "$folder/report" &&
		! grep -q -i 'search not completed\|max search depth too small\|out of memory' "$folder/report"
}

# The error must be one of the protocol, not of the search.
is_caught() {
	grep -q '^pan:[0-9]*: \(assertion violated\|invalid end state\)' "$folder/report"
}

say() {
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$folder/report" | head -n 1)
	seconds=$(sed -n 's/.*elapsed time \([0-9.]*\) seconds.*/\1/p' "$folder/report")
	printf '%-10s %-34s %10s states %7s s   %s\n' "$1" "$2" "$states" "${seconds:-0}" "$3"
}

must_hold() {
	if ! search "$1" "$2"; then
		cat "$folder/report"
		fail "$name $2: no complete run"
	elif holds; then
		say "$name" "${2:--}" passed
	else
		say "$name" "${2:--}" "DOES NOT HOLD"
		grep '^pan:[0-9]*:\|^error' "$folder/report"
		fail "$name $2"
	fi
}

must_be_caught() {
	if ! search "$1" "$2"; then
		cat "$folder/report"
		fail "$name $2: no complete run"
	elif is_caught; then
		say "$name" "$2" "caught: $(sed -n 's/^pan:[0-9]*: \([a-z ]*[a-z]\).*/\1/p' "$folder/report" | head -n 1)"
	else
		say "$name" "$2" "NOT CAUGHT"
		fail "$name $2: a broken variant passes"
	fi
}

check() {
	model=$1
	name=$(basename "$model" .pml)
	variants=$(words "$model" variants)
	bound=$(words "$model" bound)
	echo "$name: ${bound:-no bound stated}"
	[ -n "$bound" ] || fail "$name states no bound"
	[ -n "$variants" ] || fail "$name names no variants"
	must_hold "$model" ""
	for options in $(words "$model" runs); do
		must_hold "$model" "$options"
	done
	for options in $variants; do
		seen="$seen${options%%,*} "
		must_be_caught "$model" "$options"
	done
}

command -v spin >/dev/null || {
	echo "FAILED: spin is not installed (scripts/packages.txt)"
	exit 1
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

if [ $# -gt 0 ]; then
	required=
else
	set -- "$here"/../../channels/model/*.pml
fi
for model in "$@"; do
	check "$(cd "$(dirname "$model")" && pwd)/$(basename "$model")"
done
for variant in $required; do
	case $seen in
	*" $variant "*) ;;
	*) fail "no model has the variant $variant" ;;
	esac
done
exit $failed
