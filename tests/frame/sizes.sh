#!/bin/sh
# sizes.sh ROOT: files stay under 500 lines, functions under 70, and no work is left for later in a
# comment.
set -eu
cd "$1"

files() {
	find channels device host runtime compiler emu apps tests bench examples -type f -name '*.[ch]' \
		! -path '*/data/*' ! -path 'tests/compiler/*/*' | sort
}

files | xargs awk '
	function complain(what) {
		printf "%s:%d: %s\n", FILENAME, FNR, what
		bad = 1
	}
	FNR == 1 { open = 0 }
	FNR == 500 { complain("a file of 500 lines or more") }
	/^\{/ { open = FNR }
	/^\}/ {
		if (open && FNR - open > 70)
			complain("a function of " FNR - open " lines")
		open = 0
	}
	/TO[D]O|FIX[M]E|(^|[^X])X[X]X([^X]|$)/ { complain("work left for later") }
	END { exit bad }'
