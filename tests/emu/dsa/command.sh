#!/bin/sh
# command.sh NEARSIDE SHOW: the command dsa-model: what accel-config sees under it, how it ends, and
# what it leaves behind, which is nothing.
set -eu
nearside=$1
show=$2 # the program of test_show.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$*" >&2
	cat "$work/out" >&2
	exit 1
}

expect_exit() {
	wanted=$1
	shift
	code=0
	"$@" >"$work/out" 2>&1 || code=$?
	[ "$code" = "$wanted" ] || fail "$* ended with $code, not $wanted"
}

before=$(ls /dev /sys/bus /sys/module | cksum)
expect_exit 0 "$nearside" dsa-model --help
expect_exit 2 "$nearside" dsa-model
expect_exit 2 "$nearside" dsa-model --size=0 true
expect_exit 2 "$nearside" dsa-model --portal=door true
expect_exit 2 "$nearside" dsa-model --show=nothing true
expect_exit 2 "$nearside" dsa-model --dedicated=5 --shared=4 true
if ! "$nearside" dsa-model -- true 2>"$work/out"; then
	echo "skipped: $(cat "$work/out")"
	exit 77
fi
expect_exit 3 "$nearside" dsa-model -- sh -c 'exit 3'
expect_exit 143 "$nearside" dsa-model -- sh -c 'kill -TERM $$'
expect_exit 127 "$nearside" dsa-model -- /no/such/program

# Devices that others need are still there.
expect_exit 0 "$nearside" dsa-model -- sh -c 'echo x >/dev/null && test -c /dev/zero && test -d /dev/shm'

if command -v accel-config >/dev/null; then
	expect_exit 0 "$nearside" dsa-model --shared=1 --size=8 -- accel-config list
	for word in '"dev":"dsa0"' '"dev":"wq0.0"' '"mode":"dedicated"' '"dev":"wq0.1"' \
		'"mode":"shared"' '"size":8' '"state":"enabled"'; do
		grep -qF "$word" "$work/out" || fail "accel-config list lacks $word"
	done
else
	echo "skipped: accel-config is not installed, so it cannot look"
fi
library=$(ldconfig -p | awk '/libaccel-config.so.1 / { print $NF; exit }')
if [ -n "$library" ] && unshare -Urm true 2>/dev/null; then
	expect_exit 0 "$nearside" dsa-model -- unshare -Urm sh -c \
		"mount --bind /dev/null '$library' && exec '$show' no-library"
else
	echo "skipped: libaccel-config cannot be hidden here"
fi
[ "$(ls /dev /sys/bus /sys/module | cksum)" = "$before" ] || fail "something was left behind"
