#!/bin/sh
# demo.sh: installs what is missing, builds, and shows two things: a kernel in C that answers
# through a pipe (examples/hello.c), and a breadth-first search by processes on the device over the
# package graph of this machine: who needs libc6, directly or through others.
set -eu
cd "$(dirname "$0")/.."

# shown COMMAND...: says what it is before it runs.
shown() {
	echo "\$ $*"
	"$@"
}

echo "demo: looking for the packages that the build needs"
scripts/install.sh
echo "demo: building compiler, library and nearside-graph; from a fresh clone that takes a minute or so"
scripts/build.sh release nprocc nearside nearside_shared nearside-graph nearside-command # all that `cmake --install build` wants

echo
echo "demo: examples/hello.c, kernel and host code in one file"
mkdir -p build/demo
shown build/bin/nprocc examples/hello.c -o build/demo/hello
shown build/demo/hello

echo
echo "demo: asking apt whether it has package lists"
graph=build/bin/nearside-graph
# shellcheck disable=SC2016 # apt expands it
if [ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages' 2>/dev/null)" ]; then
	echo "demo: who needs libc6? A search over the packages that apt knows, checked against the host alone"
	echo "demo: (apt takes a few seconds to print them)"
	set -- bfs --from-apt --reverse --source libc6 --verify
else
	echo "demo: apt has no package lists here ('apt-get update' fetches them), so the graph is a generated one"
	set -- bfs --kron 16 --source 0 --verify
fi
echo "\$ $graph $*"
"$graph" "$@" >build/demo/search
cat build/demo/search
echo
awk '/^traffic / { crossed = $2 }
	/by the CPU alone fetches/ { sub(/.* fetches /, ""); alone = $1 }
	END {
		printf "demo: %d lines of 64 bytes crossed between host and device, where a search by the host", crossed
		printf " alone fetches %d at least\n", alone
		print "demo: (threads emulate the device: the lines are what hardware would see, the times are not)"
	}' build/demo/search
