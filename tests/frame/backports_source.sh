#!/bin/sh
# backports_source.sh ROOT: scripts/backports-source.sh copies mirror, options and key of the
# machine's own source, whatever its form. Each case is a folder of backports_source.d with apt's
# files and the entry `expected`.
set -eu
root=$1
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for case in "$root"/tests/frame/backports_source.d/*; do
	"$root/scripts/backports-source.sh" "$case" >"$work/got" || echo "none" >"$work/got"
	diff -u "$case/expected" "$work/got" || {
		echo "(case $(basename "$case"))"
		bad=1
	}
done
exit $bad
