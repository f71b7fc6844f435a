#!/bin/sh
# pages.sh ROOT PROGRAM...: every option in PROGRAM's --help, and in that of each of the commands
# that it lists, is in its manual page and is completed, and the page invents none. Pages are free
# of mistakes that groff warns of.
set -eu
root=$1
shift
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

complain() {
	echo "$1: $2"
	bad=1
}

# options: the words of standard input that begin with two hyphens
options() {
	grep -oE -e '(^|[^-a-zA-Z0-9])--[a-z][-a-z0-9]*' | grep -oE -e '--[a-z].*' | sort -u
}

# helps PROGRAM: its --help and that of its commands
helps() {
	"$1" --help
	"$1" --help | sed -n '/^Commands$/,/^$/s/^  \([a-z][-a-z]*\) .*/\1/p' | while read -r command; do
		"$1" "$command" --help
	done
	echo " --help"
}

for program in "$@"; do
	name=$(basename "$program")
	page=$root/docs/man/$name.1
	completion=$root/scripts/completions/$name

	helps "$program" | options >"$work/helped"
	[ -s "$work/helped" ] || complain "$name" "--help shows no option"
	[ -f "$page" ] || { complain "$name" "no page $page"; continue; }
	sed -e 's/\\f[A-Z]//g' -e 's/\\-/-/g' -e 's/^\.[A-Z][A-Z]* //' "$page" | options >"$work/paged"
	comm -23 "$work/helped" "$work/paged" >"$work/missing"
	[ -s "$work/missing" ] && complain "$page" "does not have: $(tr '\n' ' ' <"$work/missing")"
	comm -13 "$work/helped" "$work/paged" >"$work/invented"
	[ -s "$work/invented" ] && complain "$page" "has, but --help does not: $(tr '\n' ' ' <"$work/invented")"
	[ -f "$completion" ] || { complain "$name" "no completion $completion"; continue; }
	bash -n "$completion" || complain "$completion" "bash cannot read it"
	while read -r option; do
		grep -qE -e "(^|[^-a-z])$option([^-a-z]|\$)" "$completion" || complain "$completion" "lacks $option"
	done <"$work/helped"
	if command -v groff >/dev/null; then
		groff -man -Tutf8 -ww "$page" 2>"$work/groff" >/dev/null
		[ -s "$work/groff" ] && complain "$page" "$(cat "$work/groff")"
	fi
done
exit $bad
