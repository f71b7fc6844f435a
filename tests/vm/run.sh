#!/bin/sh
# run.sh CASE BUILD: emulated machines as their users meet them. Prints every claim that does not
# hold; exit code 1 if one does not, 77 where QEMU is missing or too old (never with CI set).
set -u
case=$1
build=$2
nearside=$build/bin/nearside
tests=$build/bin/tests
kernels=$build/obj/tests/vm/kernels.nk
conformance_kernels=$build/obj/tests/conformance/kernels.nk
here=$(cd "$(dirname "$0")" && pwd)
look=$here/../emu/look/look.sh
unset NEARSIDE_DEVICE

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

if ! "$nearside" vm check >found 2>missing; then
	[ -n "${CI:-}" ] && { cat missing; echo "(in CI nothing is skipped)"; exit 1; }
	echo "skipped: $(tr '\n' ' ' <missing)"
	exit 77
fi

fail() {
	echo "FAILED: $*"
	failed=1
}

# run CODE COMMAND...: the command ends with CODE; what it says lies in out and err.
run() {
	wanted=$1
	shift
	"$@" >out 2>err </dev/null
	code=$?
	[ "$code" = "$wanted" ] || {
		fail "$*: exit code $code, not $wanted"
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

# What a search prints but for times, traffic and the device's name.
result_of() {
	grep -E '^(graph|search|verified|  *every parent)' "$1"
}

search="$build/bin/nearside-graph bfs --kron 10 --source 0 --verify"

# same_search COMMAND...: the search says the same when it is run by the command, and the depths
# that it writes are the same bytes.
same_search() {
	# shellcheck disable=SC2086 # a command line
	$search >plain || fail "the search on this machine alone"
	# shellcheck disable=SC2086
	run 0 "$@" $search
	result_of plain >plain.result
	result_of out | diff plain.result - || fail "the search says something else"
	# shellcheck disable=SC2086
	$search --output - 2>/dev/null | cut -d ' ' -f 1,2 >plain.depths
	# shellcheck disable=SC2086
	run 0 "$@" $search --output -
	cut -d ' ' -f 1,2 <out | cmp - plain.depths || fail "the search finds other depths"
}

# in_guest DEVICE GROUPS OPTION...: a search and groups of the conformance suite on the device of a
# guest.
in_guest() {
	device=$1
	groups=$2
	shift 2
	cat >script <<-END
		set -e
		cd $folder
		$search --output - 2>search.err | cut -d ' ' -f 1,2
		for group in $groups; do
			$tests/conformance $device \$group >log 2>&1 || { cat log; exit 1; } >&2
		done
	END
	# shellcheck disable=SC2086
	$search --output - 2>/dev/null | cut -d ' ' -f 1,2 >plain.depths
	# shellcheck disable=SC2086
	run 0 "$nearside" vm run "$@" --with "$build/bin/nearside-graph" --with "$tests/conformance" \
		--with "$conformance_kernels" -- /bin/busybox sh script
	cmp out plain.depths || fail "the search finds other depths"
}

# Other groups need much time or several devices: they are left to the tests outside of a guest.
some="arguments pipes ends endings faults kills memory packets"

# children PID: its children.
children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# wait_for FILE TEXT: until the file has the text, or its writer has ended.
wait_for() {
	tail -n +1 -f --pid="$pid" "$1" | grep -qF -m 1 -- "$2"
}

# gone PID...: the processes end.
gone() {
	for process in "$@"; do
		timeout 20 tail -f /dev/null --pid="$process" || fail "process $process is still there"
	done
}

case $case in
device_conformance)
	run 0 "$nearside" vm device --timeout 280 -- sh -c "exec $tests/conformance \"\$NEARSIDE_DEVICE\""
	grep '^skipped: ' out
	;;
device_incoherent)
	for group in coherence memory copies births kills; do
		run 0 "$nearside" vm device --incoherent -- \
			sh -c "exec $tests/conformance \"\$NEARSIDE_DEVICE\" $group"
	done
	same_search "$nearside" vm device --incoherent --
	;;
device_programs)
	same_search "$nearside" vm device --
	run 0 "$nearside" vm device -- "$tests/vm_app" sum
	says out 499500
	run 3 "$nearside" vm device -- "$tests/vm_app" exit 3
	run 1 "$nearside" vm device -- "$tests/vm_app" fault
	says err "kernels.c:9:"
	run 0 "$nearside" vm device --cores 1 -- "$tests/vm_trap" "$kernels"
	says out "kernels.c:14: in broken: trap"
	says out "then the sum is 6"
	run 124 "$nearside" vm device --timeout 1 -- sh -c 'while :; do :; done'
	says err "the time is over"
	;;
device_file)
	echo used >used
	run 125 "$nearside" vm device --file used
	says err "used: File exists"
	[ "$(cat used)" = used ] || fail "the file was changed"
	: >err
	"$nearside" vm device --file region 2>>err &
	pid=$!
	wait_for err serves
	NEARSIDE_DEVICE=file:$folder/region run 0 "$tests/vm_app" sum
	says out 499500
	run 0 sh "$look" "$nearside" - "$tests/look_app" "$folder/region"
	machines=$(children $pid)
	kill -INT $pid
	wait $pid
	code=$?
	[ $code = 130 ] || fail "exit code $code after an interrupt"
	# shellcheck disable=SC2086
	gone $machines
	[ -e region ] && fail "the region is still there"
	: >err
	"$nearside" vm device --file region 2>>err &
	pid=$!
	wait_for err serves
	machines=$(children $pid)
	kill -KILL $pid
	# shellcheck disable=SC2086
	gone $machines
	;;
device_gdb)
	: >err
	"$nearside" vm device --gdb=23456 --verbose -- "$tests/vm_app" sum >out 2>>err &
	pid=$!
	wait_for err "starting the cores"
	timeout 60 gdb-multiarch -q -batch -x "$build/lib/nearside/riscv-gdb.py" -x "$here/gdb.txt" >said 2>&1
	wait $pid || fail "the program ends with $?"
	says said "Breakpoint 1, "
	says said "kernels.c:9"
	says said "ndev_core_step"
	says out 499500
	;;
guest_riscv)
	in_guest dax:/dev/dax0.0 "$some" --device riscv --verbose
	for layer in "the kernel runs" "the CXL device is there" "the CXL region is committed" \
		"/dev/dax0.0 is there" "a host has come"; do
		says err "$layer"
	done
	;;
guest_native)
	in_guest dax:/dev/dax0.0 "$some" --device native
	;;
guest_programs)
	# shellcheck disable=SC2086
	$search >plain
	# shellcheck disable=SC2086
	run 0 "$nearside" vm run --device riscv -- $search
	result_of plain >plain.result
	result_of out | diff plain.result - || fail "the search says something else"
	cat >input <<-END
		echo from outside
		$tests/vm_app fault && exit 9
		ls -l /dev/dax0.0
		$tests/vm_app exit 3
	END
	"$nearside" vm shell --with "$tests/vm_app" <input >out 2>err
	code=$?
	[ $code = 3 ] || fail "exit code $code, not 3"
	says out "/dev/dax0.0"
	says out "from outside"
	says err "kernels.c:9:"
	;;
guest_interrupted)
	: >out
	"$nearside" vm run -- /bin/busybox sh -c 'echo it runs; while :; do :; done' >>out 2>err &
	pid=$!
	wait_for out "it runs"
	machines=$(children $pid)
	# shellcheck disable=SC2086
	[ "$(echo $machines | wc -w)" = 2 ] || fail "machines: $machines"
	kill -INT $pid
	wait $pid
	code=$?
	[ $code = 130 ] || fail "exit code $code after an interrupt"
	# shellcheck disable=SC2086
	gone $machines
	[ "$(find . -type f | sort | tr '\n' ' ')" = "./err ./found ./missing ./out " ] || fail "left: $(find .)"
	;;
guest_aborted)
	# In place of QEMU: aborts so often, and once before the program runs or while it does.
	mkdir tools
	cat >tools/qemu-system-x86_64 <<-'END'
		#!/bin/bash
		[ "$1" = --version ] && { echo "QEMU emulator version 10.1"; exit; }
		echo start >>starts
		for argument; do
			case $argument in socket,id=control,fd=*) control=${argument##*=} ;; esac
		done
		[ "$ABORTS" = running ] && echo started >&"$control"
		[ "$ABORTS" = running ] || [ "$(wc -l <starts)" -le "$ABORTS" ] && kill -ABRT $$
		printf 'started\nexit 3\n' >&"$control"
	END
	chmod +x tools/qemu-system-x86_64
	# aborts HOW CODE STARTS
	aborts() {
		rm -f starts
		ABORTS=$1 PATH=$folder/tools:$PATH run "$2" "$nearside" vm run --device native -- "$tests/vm_app" sum
		[ "$(wc -l <starts)" = "$3" ] || fail "with $1 aborts QEMU was started $(wc -l <starts) times, not $3"
	}
	aborts 0 3 1
	aborts 1 3 2
	aborts 2 3 3
	aborts 3 125 3
	says err "the guest has ended before its program has"
	aborts running 125 1
	says err "the guest has ended before its program has"
	;;
guest_numa)
	in_guest numa:1 memory --numa
	;;
esac
exit $failed
