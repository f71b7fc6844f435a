#!/bin/sh
# document.sh ROOT DOCUMENT BUILD: does what a Markdown document of the tree says, in a folder where
# build/ is the build folder and examples/ the tree's, as in a clone: writes its files, which must
# be those of the tree that they are said to be, runs its commands in order and compares what they
# print (document.awk has the marks).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1
document=$root/$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v into="$work" -f "$here/document.awk" "$document"
[ -s "$work/commands" ] || { echo "$document has no block marked <!-- run -->"; exit 1; }
ln -s "$3" "$work/build"
ln -s "$root/examples" "$work/examples"
cd "$work"
touch copies

while read -r copy original; do
	diff -u "$root/$original" "$copy" || { echo "(-: $original; +: the copy in $2)"; exit 1; }
done <copies

count=0
while read -r command <&3; do
	count=$((count + 1))
	echo "\$ $command"
	sh -c "$command" >got 2>&1 || { cat got; echo "(this command failed)"; exit 1; }
	diff -u "expected.$count" got || { echo "(-: what the document shows; +: what the command prints)"; exit 1; }
done 3<commands
