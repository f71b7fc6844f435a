#!/bin/sh
# document.sh DOCUMENT BUILD: does what a Markdown document says, in an empty folder where build/ is the build
# folder: writes its files, runs its commands in order and compares what they print (document.awk has the marks).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
document=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v into="$work" -f "$here/document.awk" "$document"
[ -s "$work/commands" ] || { echo "$document has no block marked <!-- run -->"; exit 1; }
ln -s "$2" "$work/build"
cd "$work"

count=0
while read -r command <&3; do
	count=$((count + 1))
	echo "\$ $command"
	sh -c "$command" >got 2>&1 || { cat got; echo "(exit code $?)"; exit 1; }
	diff -u "expected.$count" got || { echo "(-: what the document shows; +: what the command prints)"; exit 1; }
done 3<commands
