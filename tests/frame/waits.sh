#!/bin/sh
# waits.sh ROOT: no test waits by the clock for another to get on, as a test that sleeps would: it
# takes long on a fast machine and fails on a slow one. Tests wait for what they need, or see it.
set -eu
cd "$1"

# The brackets keep this file from finding itself.
pattern='(^|[^_[:alnum:]])(u|nano|clock_nano)?[s]leep[ (][0-9&(]'
if find tests -type f \( -name '*.[ch]' -o -name '*.sh' -o -name CMakeLists.txt \) \
	! -path 'tests/compiler/refused/*' -print0 | xargs -0 grep -nE "$pattern"; then
	echo "(a test that sleeps: let it wait for what it needs)"
	exit 1
fi
