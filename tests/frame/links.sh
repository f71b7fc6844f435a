#!/bin/sh
# links.sh ROOT: every relative link of the Markdown documents leads to a file of the tree, and the
# index docs/README.md names every document in docs/.
set -eu
cd "$1"
bad=0

for document in README.md docs/*.md; do
	folder=$(dirname "$document")
	for link in $(grep -oE '\]\([^)#: ]+' "$document" | cut -c 3-); do
		[ -e "$folder/$link" ] || {
			echo "$document: no such file: $link"
			bad=1
		}
	done
done
for document in docs/*.md; do
	name=$(basename "$document")
	[ "$name" = README.md ] || grep -qF "($name)" docs/README.md || {
		echo "docs/README.md does not name $name"
		bad=1
	}
done
exit $bad
