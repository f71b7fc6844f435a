#!/bin/sh
# run.sh NPROCC SOURCE EXPECTED [OPTION...]: one nprocc command in an empty folder makes the
# program, and it prints what it should.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(basename "$2" .c)

nprocc=$1
expected=$3

cp "$2" "$work"
cd "$work"
shift 3
"$nprocc" "$name.c" "$@" -o "$name"
"./$name" >got
diff -u "$expected" got
