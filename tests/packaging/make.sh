#!/bin/sh
# make.sh ROOT: a plain `cmake -B FOLDER` without a preset, by make instead of ninja, builds the
# library, optimised.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	cmake -G "Unix Makefiles" -B "$work" -S "$1" -DBUILD_TESTING=OFF
	cmake --build "$work" --target nearside --parallel "$(nproc)"
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q '^CMAKE_BUILD_TYPE:STRING=RelWithDebInfo$' "$work/CMakeCache.txt"
