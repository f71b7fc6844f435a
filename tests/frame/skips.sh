#!/bin/sh
# skips.sh ROOT: a test that cannot run says why: before each skip() a reason is printed.
set -eu
cd "$1"

find tests -name '*.c' ! -path 'tests/compiler/*/*' | sort | xargs awk '
	FNR == 1 { printed = -9 }
	/print_message\(|printf\(/ { printed = FNR }
	/^[^a-z]*skip\(\)/ && FNR - printed > 3 {
		printf "%s:%d: skipped without a reason in the three lines before\n", FILENAME, FNR
		bad = 1
	}
	END { exit bad }'
