#!/bin/sh
# check.sh [--quick]: installs what is missing, builds, runs every test. Ends with one line per
# build, or with the first failure and exit code 1.
#
#   release      gcc          all tests
#   clang        clang 19     unit tests and examples, with assertions compiled out (-DNDEBUG)
#   asan-ubsan   clang 19     all tests but those labelled "slow" or about the tree; every fuzz
#                             target for 20 seconds
#   tsan         clang 19     those of them that have threads
#
# So every test runs in two builds or more, the long ones not in all, to stay under ten minutes on
# two cores.
#
# --quick: the release build alone, without "slow" and "qemu" tests. Logs lie in build/check/.
set -eu
cd "$(dirname "$0")/.."

quick=
case "${1:-}" in
"") ;;
--quick) quick=1 ;;
*)
	echo "usage: scripts/check.sh [--quick]" >&2
	exit 2
	;;
esac

logs=$PWD/build/check
mkdir -p "$logs"
: >"$logs/summary"
began=$(date +%s)

fail() {
	printf '\ncheck: FAILED: %s\n' "$*" >&2
	exit 1
}

# run LOG COMMAND...: silent while all is well; the seconds it took land in $seconds.
run() {
	log=$logs/$1.log
	shift
	from=$(date +%s)
	if ! "$@" >"$log" 2>&1; then
		grep -vE '^ +Start |   Passed  |^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 200
		fail "$* (whole output: $log)"
	fi
	seconds=$(($(date +%s) - from))
}

build_folder() {
	if [ "$1" = release ]; then
		echo build
	else
		echo "build/$1"
	fi
}

# check PRESET [CTEST OPTION...]: builds and tests one preset.
check() {
	preset=$1
	shift
	folder=$(build_folder "$preset")
	echo "check: $preset: building"
	run "$preset-build" scripts/build.sh "$preset"
	built=$seconds
	echo "check: $preset: built in $built s, testing"
	run "$preset-test" ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
	result=$(grep -h 'tests passed,' "$logs/$preset-test.log")
	line=$(printf '%-11s build %4d s, test %4d s: %s' "$preset" "$built" "$seconds" "$result")
	echo "check: $line"
	echo "$line" >>"$logs/summary"
	skipped "$folder" >>"$logs/summary"
}

# What tests left out: their own reasons, counted, and the names of the cases. A skip is never
# silent.
skipped() {
	awk '/^skipped: / {
			sub(/^skipped: /, "")
			sub(/ on sim:.*/, " on sim")
			sub(/ on inproc:.*/, " on inproc")
			sub(/ on file:.*/, " on file")
			reasons[$0]++
		}
		# Every program that it would have run.
		/^nearside dsa-model: no namespace can be had/ { reasons[substr($0, 21)]++ }
		/^\[  SKIPPED \] [A-Za-z_]/ { names[$4] }
		END {
			for (reason in reasons)
				printf "            skipped %d x: %s\n", reasons[reason], reason
			for (name in names)
				printf "            skipped: %s\n", name
		}' "$1/Testing/Temporary/LastTest.log" | sort
}

scripts/install.sh
if [ -n "$quick" ]; then
	check release -LE '^(slow|qemu)$'
else
	check release
	check clang -LE '^(slow|frame|compiler|conformance|packaging|qemu)$'
	# The sanitizer builds take the finished compiler: kernels are compiled once more, the
	# compiler is not.
	export NEARSIDE_CMAKE_ARGS="-DNEARSIDE_NPROCC=$PWD/build/bin/nprocc"
	check asan-ubsan -LE '^(slow|frame)$'
	check tsan -LE '^(slow|frame|sim|channels|device)$'
fi

echo
sed 's/^/check: /' "$logs/summary"
echo "check: passed in $(($(date +%s) - began)) s"
