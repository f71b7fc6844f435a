#!/bin/sh
# headers.sh ROOT: every header of the tree compiles alone as C11; those that applications include
# do with both compilers, and as C++17, too; a call of nproc_spawn() with too few arguments does
# not, and says why. A header that calls itself "Not for direct use" is left to the one that
# includes it.
set -eu
cd "$1"
bad=0

# compile COMPILER LANGUAGE STANDARD HEADER: nothing precedes the header, and no warning is allowed.
compile() {
	printf '#include "%s"\nextern int nearside_header_compiles;\n' "$4" |
		"$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only \
			-I. -Iruntime/include -I/usr/lib/llvm-19/include - || {
		echo "$4 does not compile alone with $1 -std=$3"
		bad=1
	}
}

headers() {
	find "$@" -type f -name '*.h' ! -path '*/data/*' ! -path 'tests/compiler/*/*' | sort | xargs grep -L 'Not for direct use'
}

for header in $(headers channels device host runtime compiler emu apps tests examples bench); do
	compile clang-19 c c11 "$header"
done
for header in $(headers runtime/include); do
	compile gcc c c11 "$header"
done
# kernel.h speaks the kernel language, which is C.
for header in $(headers runtime/include | grep -v /kernel.h); do
	compile g++ c++ c++17 "$header"
	compile clang++-19 c++ c++17 "$header"
done
for compiler in gcc clang-19; do
	printf '#include <nearside/nproc.h>\nint spawn(struct nproc_device *d) { return nproc_spawn(d, "k"); }\n' |
		"$compiler" -x c -std=c11 -fsyntax-only -Iruntime/include - 2>&1 |
		grep -q "nproc_spawn takes device" || {
		echo "$compiler does not say that nproc_spawn() lacks arguments"
		bad=1
	}
done
printf '#include <nearside/kernel.h>\n' | g++ -x c++ -std=c++17 -fsyntax-only -Iruntime/include - 2>&1 |
	grep -q "kernels are C11: give them a file of their own" || {
	echo "kernel.h does not say that C++ is not for kernels"
	bad=1
}
exit $bad
