#!/bin/sh
# install.sh ROOT BUILD: what `cmake --install` puts elsewhere is enough, also after it was moved:
# programs are made of it by one nprocc command, by find_package(), and by pkg-config; in C and in
# C++.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expected=$root/tests/examples/expected

cmake --install "$2" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/installed"
installed=$work/installed
export PKG_CONFIG_PATH="$installed/lib/pkgconfig"

# quietly COMMAND...: what it prints is shown only if it fails.
quietly() {
	"$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "(failed: $*)"; exit 1; }
}

# Nothing but the compiler's own tools is looked for outside of it. (Debug information names
# sources.)
if grep -rF -e "$root" -e "$2" "$installed/lib/cmake" "$installed/lib/pkgconfig" "$installed/share"; then
	echo "(the installed tree names the one that it was built from)"
	exit 1
fi
for page in "$root"/docs/man/*.1; do
	[ -f "$installed/share/man/man1/$(basename "$page")" ]
	[ -f "$installed/share/bash-completion/completions/$(basename "$page" .1)" ]
done

# ---- by one command

mkdir "$work/project"
cp "$root/examples/hello.c" "$root/tests/packaging/project/CMakeLists.txt" "$work/project"
cd "$work/project"
"$installed/bin/nprocc" -v hello.c -o hello >commands 2>&1
[ -s commands ]
if grep -F "$root" commands; then
	echo "(the installed nprocc looks into the tree that it was built from)"
	exit 1
fi
./hello | diff -u "$expected/hello.txt" -

# ---- by find_package()

quietly cmake -G Ninja -B build -DCMAKE_PREFIX_PATH="$installed"
quietly cmake --build build
build/hello | diff -u "$expected/hello.txt" -
cmake --build build >log
grep -q "no work to do" log || { cat log; echo "(nothing has changed, but a second build does something)"; exit 1; }

# ---- by find_package(), in C++, with make

cp -r "$root/examples/cplusplus" "$work/cplusplus"
cd "$work/cplusplus"
quietly cmake -G "Unix Makefiles" -B build -DCMAKE_PREFIX_PATH="$installed"
quietly cmake --build build
build/host | diff -u "$expected/cplusplus.txt" -

# ---- by pkg-config, in C++ with either compiler and with either library

"$installed/bin/nprocc" -c kernels.c -o kernels.o
cflags=$(pkg-config --cflags nearside)
for compiler in g++ clang++-19; do
	# shellcheck disable=SC2046,SC2086 # lists of options
	quietly $compiler -std=c++17 -Wall -Wextra -Wpedantic -Werror $cflags host.cpp kernels.o -o host \
		$(pkg-config --libs nearside) -Wl,-rpath,"$(pkg-config --variable=libdir nearside)"
	./host | diff -u "$expected/cplusplus.txt" -
done
# shellcheck disable=SC2046,SC2086
quietly g++ -std=c++17 $cflags host.cpp kernels.o -o host "$installed/lib/libnearside.a" \
	$(pkg-config --static --libs-only-l nearside | sed 's/-lnearside//') -pthread
./host | diff -u "$expected/cplusplus.txt" -
readelf -d host | grep -q libnearside && { echo "(meant to be static, but uses libnearside.so)"; exit 1; }
exit 0
