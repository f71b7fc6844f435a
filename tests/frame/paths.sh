#!/bin/sh
# paths.sh ROOT: nothing in the tree speaks of one person's machine: home folders, private networks,
# host names.
set -eu
cd "$1"

# The brackets keep this file from finding itself.
pattern='/[h]ome/[a-z]|/[r]oot/|/[U]sers/|/[w]ork/|/[f]arm/|[0-9][.](local|lan|internal|corp)\b'
pattern="$pattern|\\b(10|192[.]168|172[.](1[6-9]|2[0-9]|3[01]))([.][0-9]{1,3}){2,3}\\b"
name=$(uname -n)
case $name in
# too common a word to look for
????????*) pattern="$pattern|\\b$name\\b" ;;
esac
if find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0 | xargs -0 grep -nIE "$pattern"; then
	echo "(a path or name of one machine)"
	exit 1
fi
