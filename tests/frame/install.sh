#!/bin/sh
# install.sh ROOT BUILD: what `cmake --install` puts elsewhere is enough to compile a program with one nprocc
# command, and by CMake with nearside_add_kernels().
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$2" --prefix "$work/installed" >/dev/null
mkdir "$work/project"
cp "$root/examples/hello.c" "$root/tests/frame/install.d/CMakeLists.txt" "$work/project"
cd "$work/project"

"$work/installed/bin/nprocc" -v hello.c -o hello >commands 2>&1
[ -s commands ]
if grep -F "$root" commands; then
	echo "(the installed nprocc looks into the tree that it was built from)"
	exit 1
fi
./hello | diff -u "$root/tests/examples/expected/hello.txt" -

{
	cmake -G Ninja -B build -DCMAKE_MODULE_PATH="$work/installed/lib/cmake/Nearside"
	cmake --build build
} >log 2>&1 || { cat log; exit 1; }
build/hello | diff -u "$root/tests/examples/expected/hello.txt" -
cmake --build build >log
grep -q "no work to do" log || { cat log; echo "(nothing has changed, but a second build does something)"; exit 1; }
