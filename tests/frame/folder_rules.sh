#!/bin/sh
# folder_rules.sh ROOT: holds every C file of the tree to folder_rules.txt, after showing on a
# planted tree that each rule bites.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1

judge() {
	find . \( -path ./build -o -path ./.git -o -path '*/data' -o -path './tests/compiler/*/*' \) -prune -o -type f -name '*.[ch]' -print |
		sed 's|^\./||' | sort | xargs awk -f "$here/folder_rules.awk" "$here/folder_rules.txt"
}

# plant FILE HEADER VERDICT: a tree that holds FILE with that #include is refused or accepted.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
plant() {
	rm -rf "$planted/tree"
	mkdir -p "$planted/tree/$(dirname "$1")" "$planted/tree/channels"
	echo "#include <stdint.h>" >"$planted/tree/channels/line.h"
	echo "#include $2" >"$planted/tree/$1"
	if (cd "$planted/tree" && judge) >"$planted/out"; then
		verdict=accepted
	else
		verdict=refused
	fi
	[ "$verdict" = "$3" ] || {
		echo "planted $1 with #include $2: $verdict, should be $3"
		cat "$planted/out"
		exit 1
	}
}

grep -v '^#' "$here/folder_rules_planted.txt" | while read -r file header verdict; do
	plant "$file" "$header" "$verdict"
done
cd "$root" && judge
