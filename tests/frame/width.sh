#!/bin/sh
# width.sh ROOT: comments and the text of documents fit into 100 columns, a tab being 8. Left out
# are tables, pictures and addresses in documents, test data, and code, which scripts/format.sh
# sees to.
set -eu
cd "$1"

# Beginnings of paths, one a line.
later=$(grep -v '^#' tests/frame/width_later.txt)

files() {
	find . \( -path ./build -o -path ./.git -o -path '*/data' -o -path './tests/compiler/*/*' \) -prune \
		-o -type f \( "$@" \) -print | grep -vF "$later" | sort
}

too_wide='
	function columns(text,   at, count) {
		for (at = 1; at <= length(text); at++)
			count += substr(text, at, 1) == "\t" ? 8 - count % 8 : 1
		return count
	}
	function check() {
		if (length($0) > 12 && columns($0) > 100) {
			printf "%s:%d: %d columns\n", FILENAME, FNR, columns($0)
			bad = 1
		}
	}
	FNR == 1 { inside = 0 }
	END { exit bad }'

bad=0
files -name '*.[chS]' -o -name '*.cpp' -o -name '*.pml' -o -name '*.ld' | xargs awk "$too_wide"'
	inside || /\/\*/ { check() }
	/\/\*/ { inside = 1 }
	/\*\// { inside = 0 }' || bad=1
files -name '*.sh' -o -name '*.cmake' -o -name '*.awk' -o -name CMakeLists.txt -o -name '*_rules.txt' -o \
	-name packages.txt | xargs awk "$too_wide"'
	/^[ \t]*#/ { check() }' || bad=1
files -name '*.md' | xargs awk "$too_wide"'
	/^ *```/ { inside = !inside }
	!inside && !/^(    | *\|)/ && !/https?:\/\// { check() }' || bad=1
exit $bad
