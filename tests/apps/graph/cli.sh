#!/bin/sh
# cli.sh NEARSIDE-GRAPH DATA: the program as its users meet it: results on several numbers of cores,
# packages by a stand-in for apt, messages and exit codes. Prints every claim that does not hold;
# exit code 1 if one does not.
set -u
unset NEARSIDE_DEVICE

graph=$1
data=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# run CODE ARGUMENT...: the program ends with CODE; what it says lies in out and err.
run() {
	wanted=$1
	shift
	"$graph" bfs "$@" >out 2>err
	code=$?
	[ "$code" = "$wanted" ] || {
		fail "bfs $*: exit code $code, not $wanted"
		cat out err
	}
}

# says FILE TEXT: the text is in the output.
says() {
	grep -qF -- "$2" "$1" || {
		fail "$1 does not say '$2':"
		cat "$1"
	}
}

# ---- results

for cores in 1 2 4 9; do
	run 0 --kron 10 --source 0 --verify --cores $cores --output depths.$cores
	says out "verified"
	says out "from 0: reached "
	cut -d ' ' -f 1,2 depths.$cores >depths
	[ "$cores" = 1 ] && cp depths depths.of_one_core
	cmp -s depths depths.of_one_core || fail "depths differ on $cores cores"
done
run 0 --uniform 8 --verify --device sim:seed=1 --cores 3
says out "verified"
run 0 "$data/case_136_pattern_symmetric.mtx" --source 2 --verify
says out "from 2: reached 2 vertices, depth 1, widest level 0 (1 vertex)"
run 0 "$data/road.gr" --source 4 --verify --output road
[ "$(tr '\n' ,  <road)" = "# vertex depth parent,1 1 4,2 2 1,4 0 4," ] || fail "road: $(cat road)"
run 0 "$data/road.gr" --source 4 --verify --output -
cmp -s out road || fail "--output - prints something else: $(cat out)"
says err "from 4: reached 3 vertices"
run 0 "$data/weights_of_all_kinds.wel" --reverse --verify
run 0 "$data/case_130_huge_ids.compact.el" --compact-ids --source 99999999999 --symmetrize --verify
says out "from 99999999999: reached 3 vertices, depth 2"
run 0 "$data/road.gr" --verify --json
says out '"verified": true'
says out '"source": 1'
run 0 "$data/road.gr" --top 2
says out "    level  vertices"
cp "$data/road.gr" road.of.unknown.kind
run 0 road.of.unknown.kind --format gr --verify
run 0 --format gr --verify /dev/stdin <"$data/road.gr"

# ---- packages, by a stand-in for apt-cache

mkdir apt
cat >apt/apt-cache <<'END'
#!/bin/sh
[ "$*" = dumpavail ] || exit 9
cat packages
exit "$(cat status)"
END
chmod +x apt/apt-cache
echo 0 >status
cat >packages <<'END'
Package: editor
Depends: libc6 (>= 2.34), awk
Suggests: nowhere

Package: libc6
Depends: libgcc

Package: mawk
Provides: awk
Pre-Depends: libc6

Package: libgcc
END
PATH=$folder/apt:$PATH run 0 --from-apt --reverse --source libgcc --verify --output who
says err "left out 1 relation to"
[ "$(tr '\n' , <who)" = "# vertex depth parent,editor 2 libc6,libc6 1 libgcc,mawk 2 libc6,libgcc 0 libgcc," ] ||
	fail "who needs libgcc: $(cat who)"
PATH=$folder/apt:$PATH run 1 --from-apt --source emacs
says err "source emacs does not exist"
echo 100 >status
PATH=$folder/apt:$PATH run 1 --from-apt
says err "\`apt-cache dumpavail\` failed with exit status 100"
echo 0 >status
: >packages
PATH=$folder/apt:$PATH run 1 --from-apt
says err "apt-get update"
PATH=$folder/nothing run 1 --from-apt
says err "cannot run apt-cache"

# ---- bad input

run 1 no-such.el
says err "no-such.el: cannot open: No such file or directory"
run 1 no-such-graph
says err "no-such-graph: cannot open: No such file or directory"
run 1 --format el .
says err "nearside-graph: .: cannot read: Is a directory"
run 1 "$data/case_127_bad_token_is_an_error_not_the_end.el"
says err "case_127_bad_token_is_an_error_not_the_end.el:2: 'x7' is not a vertex id"
run 1 "$data/empty.el"
says err "the graph is empty: 0 vertices, no edges; --allow-empty"
run 0 "$data/empty.el" --allow-empty --verify
run 1 "$data/no_entries.mtx"
says err "the graph is empty: 3 vertices, no edges"
run 0 "$data/no_entries.mtx" --allow-empty --verify --source 3
says out "reached 1 vertex,"
run 1 "$data/road.gr" --source 0
says err "source 0 does not exist: the vertices are 1 to 4"
run 1 "$data/road.gr" --source libc6
run 1 "$data/case_130_largest_id.el"
says err "--compact-ids helps"
run 1 --kron 31
says err "this machine has"
run 1 --kron 4 --output no/such/folder
says err "no/such/folder: cannot write"
run 1 --kron 31 --output .
says err ".: cannot write: Is a directory"
[ -s out ] && fail "a result was printed though the output cannot be had"
cp "$data/road.gr" own.gr
run 1 own.gr --output ./own.gr
says err "./own.gr: is the graph's own file"
cmp -s "$data/road.gr" own.gr || fail "a refused output changed the graph"
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file was left"

# ---- wrong usage, device trouble

run 2
run 2 --kron 99
run 2 a.el b.el
run 0 --help
says out "usage:"
"$graph" >out 2>err
[ $? = 2 ] || fail "no command: exit code is not 2"
"$graph" dfs >out 2>err
[ $? = 2 ] || fail "another command: exit code is not 2"
says err "unknown command: dfs"
"$graph" --version >out 2>err || fail "--version: exit code $?"
says out "nearside-graph "
run 2 --no-such-option
says err "nearside-graph: unrecognized option '--no-such-option'"
run 3 --kron 4 --device nonsense
run 3 --kron 4 --device inproc:cores=2 --cores 3
says err "3 cores asked for, but device"
run 3 --kron 10 --device inproc:far=1K

# full ARGUMENT...: a full standard output is an error, and is said to be one.
full() {
	"$graph" "$@" >/dev/full 2>err
	[ $? = 1 ] || fail "$* into a full standard output: exit code is not 1"
	says err "cannot write"
}
full bfs --kron 4
full bfs --kron 4 --json
full bfs --kron 4 --output -
full bfs --help
full --help
full --version

exit $failed
