#!/bin/sh
# model.sh [MODEL.pml...] - searches the models of the channels' protocol with Spin: each must hold, and each of its broken
# variants must be caught. Default: all of channels/model.
#
# A model says in the comment that opens it what is to be run:
#
#	 * bound: what the search covers                 printed; without it, the sizes that the model defines
#	 * runs: OPTION,OPTION OPTION                    right options, one search a word, besides that without any
#	 * variants: NAME NAME,OPTION                    wrong, the variant's NAME first
#
# An option is NAME or NAME=VALUE and becomes a -D. "Options that are wrong:" may stand for "variants:"; the names may also
# begin the lines below, " *   NAME  what it breaks".
set -u

required="NO_MEMBARRIER CURSOR_ONLY_QUARTER ID_REUSED_EARLY CORE_WAITS NO_CURSOR_SLOT"
here=$(cd "$(dirname "$0")" && pwd)

fail() {
	echo "FAILED: $*"
	failed=1
}

# words MODEL KEY: what stands behind " * KEY: " in the first comment.
words() {
	sed -n "/\*\//q; s/^ \* $2: *//p" "$1" | tr '\n' ' '
}

variants_of() {
	awk '/\*\// { exit }
	/^ \* (variants|Options that are wrong):/ {
		sub(/^[^:]*: */, "")
		print
		below = $0 == ""
		next
	}
	below && /^ \*   [A-Z][A-Z_]/ { print $2; next }
	{ below = 0 }' "$1" | tr '\n' ' '
}

sizes() {
	awk '$1 == "#ifndef" { size = $2 } $1 == "#define" && NF == 3 && $2 == size { print $2 "=" $3 }' "$1" |
		tr '\n' ' '
}

# search LEVEL MODEL OPTIONS: Spin's report in $folder/report; false if there was no search. LEVEL is the compiler's
# -O: most searches are shorter than the compilation.
search() {
	flags=
	for option in $(echo "$3" | tr ',' ' '); do
		flags="$flags -D$option"
	done
	# shellcheck disable=SC2086
	(
		cd "$folder" && rm -f pan* && spin -a $flags "$2" &&
			"${CC:-cc}" "-O$1" -w -DSAFETY -DVECTORSZ=4096 -DMEMLIM=1024 -o pan pan.c
	) >"$folder/report" 2>&1 || return 1
	(cd "$folder" && timeout 100 ./pan -m100000 -w22) >"$folder/report" 2>&1
	grep -q '^State-vector.*errors:' "$folder/report"
}

# A complete search without error.
holds() {
	grep -q '^State-vector.*errors: 0$' "$folder/report" &&
		! grep -q -i 'search not completed\|search depth too small\|out of memory' "$folder/report"
}

# The error must be one of the protocol, not of the search.
is_caught() {
	grep -q '^pan:[0-9]*: \(assertion violated\|invalid end state\)' "$folder/report"
}

say() {
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$folder/report" | head -n 1)
	seconds=$(sed -n 's/.*elapsed time \([0-9.]*\) seconds.*/\1/p' "$folder/report")
	printf '  %-48s %9s states %6s s  %s\n' "$1" "$states" "${seconds:-0}" "$2"
}

must_hold() {
	if ! search 1 "$1" "$2"; then
		cat "$folder/report"
		fail "$name $2: no complete search"
	elif holds; then
		say "${2:-as it is}" passed
	else
		say "${2:-as it is}" "DOES NOT HOLD"
		grep '^pan:[0-9]*:\|^error' "$folder/report"
		fail "$name $2"
	fi
}

must_be_caught() {
	if ! search 0 "$1" "$2"; then
		cat "$folder/report"
		fail "$name $2: no complete search"
	elif is_caught; then
		say "$2" "caught: $(sed -n 's/^pan:[0-9]*: \([a-z ]*[a-z]\).*/\1/p' "$folder/report" | head -n 1)"
	else
		say "$2" "NOT CAUGHT"
		fail "$name $2: a broken variant passes"
	fi
}

# Runs in a process of its own, with the model's folder.
check() {
	model=$1
	folder=$2
	name=$(basename "$model" .pml)
	failed=0
	variants=$(variants_of "$model")
	bound=$(words "$model" bound)
	echo "$name: ${bound:-$(sizes "$model")}"
	[ -n "$variants" ] || fail "$name names no variants"
	must_hold "$model" ""
	for options in $(words "$model" runs); do
		must_hold "$model" "$options"
	done
	for options in $variants; do
		must_be_caught "$model" "$options"
	done
	exit $failed
}

command -v spin >/dev/null || {
	echo "FAILED: spin is not installed (scripts/packages.txt)"
	exit 1
}
if [ $# -gt 0 ]; then
	required=
else
	set -- "$here"/../../channels/model/*.pml
fi
all=$(mktemp -d) || exit 1
failed=0
started=
seen=" "
trap 'rm -rf "$all"' EXIT
trap 'kill $started; wait; exit 1' HUP INT TERM

for model in "$@"; do
	name=$(basename "$model" .pml)
	mkdir "$all/$name" || exit 1
	for options in $(variants_of "$model"); do
		seen="$seen${options%%,*} "
	done
	check "$(cd "$(dirname "$model")" && pwd)/$name.pml" "$all/$name" >"$all/$name.out" 2>&1 &
	started="$started $!"
done
for process in $started; do
	wait "$process" || failed=1
done
cat "$all"/*.out
for variant in $required; do
	case $seen in
	*" $variant "*) ;;
	*) fail "no model has the variant $variant" ;;
	esac
done
exit $failed
