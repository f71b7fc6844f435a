#!/bin/sh
# run.sh NPROCC SOURCE EXPECTED: one nprocc command in an empty folder makes the program, and it prints what it
# should.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(basename "$2" .c)

cp "$2" "$work"
cd "$work"
"$1" "$name.c" -o "$name"
"./$name" >got
diff -u "$3" got
