#!/bin/sh
# soak.sh [SECONDS]: runs what finds rare faults for longer than the check has time for: every fuzz
# target and every soak program (bin/soak/, see nearside_soak() in cmake/NearsideTargets.cmake),
# SECONDS each (60); kill -9 of programs and devices 1000 times. A failure prints what reproduces it
# and ends the run with exit code 1.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
case "$seconds" in
*[!0-9]* | "")
	echo "usage: scripts/soak.sh [SECONDS]" >&2
	exit 2
	;;
esac

scripts/install.sh
scripts/build.sh release
NEARSIDE_CMAKE_ARGS="-DNEARSIDE_NPROCC=$PWD/build/bin/nprocc" scripts/build.sh asan-ubsan

for program in build/bin/soak/*; do
	[ -x "$program" ] || continue
	echo "soak: $program, $seconds s"
	case "$program" in
	*/soak_killed) "$program" 3600 "$(date +%s)" 1000 ;; # so often, however long that takes
	*) "$program" "$seconds" ;;
	esac
done
for target in build/asan-ubsan/bin/fuzz/*; do
	[ -x "$target" ] || continue
	found=build/asan-ubsan/fuzz/$(basename "$target")
	echo "soak: $target, $seconds s"
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/" "$found"
done
echo "soak: passed"
