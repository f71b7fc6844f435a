#!/bin/sh
# build.sh PRESET [TARGET...]: configures and builds one preset of CMakePresets.json.
#   release      gcc, into build/ (programs in build/bin)
#   debug clang asan-ubsan tsan    into build/PRESET
# Variables: NEARSIDE_CMAKE_ARGS, more arguments for the configuration.
set -eu
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/build.sh PRESET [TARGET...], one of: release debug clang asan-ubsan tsan}
shift
# shellcheck disable=SC2086 # a list of arguments
cmake --preset "$preset" --log-level=WARNING ${NEARSIDE_CMAKE_ARGS:-}
if [ $# -gt 0 ]; then
	cmake --build --preset "$preset" --target "$@"
else
	cmake --build --preset "$preset"
fi
