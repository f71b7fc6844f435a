#!/bin/sh
# cases.sh ROOT: docs/cases.md names the tests that bear a case's number, each in the row of that
# number, and all of them. A name that ends in * stands for all that begin so.
set -eu
cd "$1"
document=docs/cases.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Functions of tests, tests of CMake, and files of test data, which are a test each.
{
	find tests -name '*.c' -print0 | xargs -0 grep -hoE '^static void [a-z0-9_]*case_[0-9]+[a-z0-9_]*\(void' |
		sed 's/^static void //; s/(void$//'
	find tests -name CMakeLists.txt -print0 | xargs -0 grep -hoE '\(case_[0-9]+[a-z0-9_]*' | tr -d '('
	find tests -path '*/data/case_*' ! -name '*.expected' | sed 's|.*/||; s/[.].*//'
} | sort -u >"$work/tests"

awk -F "|" -v tests="$work/tests" '
	function complain(what) {
		print FILENAME ":" FNR ": " what
		bad = 1
	}
	# The tests that a name of the document stands for.
	function mark(name,   at, found, begin) {
		begin = substr(name, 1, length(name) - 1)
		for (at = 1; at <= count; at++)
			if (known[at] == name || (name ~ /[*]$/ && index(known[at], begin) == 1)) {
				named[at] = 1
				found = 1
			}
		if (!found)
			complain("no test is called " name)
	}
	BEGIN {
		while ((getline line <tests) > 0)
			known[++count] = line
	}
	/^\| *[0-9]+ *\|/ {
		row = $2 + 0
		if (seen[row]++)
			complain("case " row " has a row already")
	}
	{
		rest = $0
		while (match(rest, /`[a-z0-9_]*case_[0-9]+[a-z0-9_]*[*]?`/)) {
			name = substr(rest, RSTART + 1, RLENGTH - 2)
			rest = substr(rest, RSTART + RLENGTH)
			if (!match("_" name "_", "_case_" row "_"))
				complain("case " row " does not fit the name " name)
			mark(name)
		}
	}
	END {
		for (at = 1; at <= count; at++)
			if (!named[at]) {
				print FILENAME ": the test " known[at] " has no place in here"
				bad = 1
			}
		exit bad
	}' "$document"
