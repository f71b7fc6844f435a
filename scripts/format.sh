#!/bin/sh
# format.sh [--check]: formats every C file of the tree by .clang-format, or only says which would
# change. Test data (data/, and what the compiler is tested on) is left alone: it may be wrong on
# purpose.
set -eu
cd "$(dirname "$0")/.."

files() {
	find channels device host runtime compiler emu apps tests bench examples -type f \( -name '*.[ch]' -o -name '*.cpp' \) \
		! -path '*/data/*' ! -path 'tests/compiler/*/*' | sort
}

case "${1:-}" in
--check) files | xargs clang-format-19 --dry-run --Werror ;;
"") files | xargs clang-format-19 -i ;;
*)
	echo "usage: scripts/format.sh [--check]" >&2
	exit 2
	;;
esac
