#!/bin/sh
# symbols.sh ROOT LIBRARY: libnearside.so exports every function that a public header declares, and
# nothing else.
set -eu
root=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gcc lists every declaration it saw with the file it stands in. kernel.h declares what kernels
# call; that is the compiler's, not this library's.
for header in "$root"/runtime/include/nearside/*.h; do
	case $header in */kernel*.h | */*_impl.h) continue ;; esac
	gcc -std=c11 -fsyntax-only -I"$root/runtime/include" -aux-info "$work/declarations" -x c "$header"
	grep 'runtime/include/nearside/' "$work/declarations" >>"$work/all"
done
sed -n 's/^[^*]*\*[^*]*\*\/ extern [^(]*[ *]\([a-z0-9_]*\) (.*/\1/p' "$work/all" | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort -u >"$work/exported"

[ -s "$work/declared" ] || { echo "no declaration was found in the public headers"; exit 1; }
if ! diff -u "$work/declared" "$work/exported"; then
	echo "(-: declared in a public header but not exported; +: exported but not declared)"
	exit 1
fi
if grep -vE '^(nproc|npipe|nmem|nipc|nearside)_' "$work/exported"; then
	echo "(exported without one of the public prefixes)"
	exit 1
fi
