#!/bin/sh
# daemon.sh NEARSIDE_DEVICE CONFORMANCE: the suite over the devices of a supervisor, which it leaves
# as it was: no worker, and no file.
set -u
device=$1
conformance=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
socket=$folder/socket
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

echo text >"$folder/file"
if "$device" start --socket "$folder/file" >"$folder/ready" 2>"$folder/err"; then
	fail "a file was taken for a socket"
	"$device" stop --socket "$folder/file"
fi
grep -q "something else than a socket" "$folder/err" || { fail "start says:"; cat "$folder/err"; }
[ "$(cat "$folder/file")" = text ] || fail "a file that is no socket is gone"
rm -f "$folder/file" "$folder/ready"

mkfifo "$folder/ready"
"$device" start --socket "$socket" --foreground >"$folder/ready" 2>"$folder/err" &
supervisor=$!
read -r ready <"$folder/ready" || exit 1
echo "$ready"
"$conformance" "daemon:$socket,cores=2" || fail "the suite"

# A worker ends when its program has closed the device, soon; nobody looks for longer than it takes.
try=0
while [ $try -lt 1000 ]; do
	try=$((try + 1))
	"$device" status --socket "$socket" >"$folder/status"
	[ "$(wc -l <"$folder/status")" = 2 ] && break
done
[ "$(wc -l <"$folder/status")" = 2 ] || { fail "workers are left after $try looks"; cat "$folder/status"; }
"$device" stop --socket "$socket" || fail "stop"
wait "$supervisor"
[ -s "$folder/err" ] && { fail "workers died:"; cat "$folder/err"; }
rm -f "$folder/ready" "$folder/err" "$folder/status"
[ -z "$(ls "$folder")" ] || fail "files are left: $(ls "$folder")"
exit $failed
