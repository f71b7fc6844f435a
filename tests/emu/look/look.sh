#!/bin/sh
# look.sh NEARSIDE NEARSIDE_DEVICE APP [REGION]: what `nearside ps`, `top` and `info` say of a
# device outside the program that has it: in a file and of a supervisor, or of one that serves
# REGION.
set -u
nearside=$1
device=$2
app=$3
folder=$(mktemp -d)
region=$folder/region
failed=0
served=
running=

clean_up() {
	exec 3>&-
	for process in $served $running; do
		kill -9 "$process" 2>/dev/null
	done
	wait
	rm -rf "$folder"
}
trap clean_up EXIT

fail() {
	echo "FAILED: $*"
	failed=1
}

# says CODE ARGUMENT... <<END: nearside ends with CODE, and all these lines are found in its output,
# sooner or later.
says() {
	code=$1
	shift
	cat >"$folder/wanted"
	try=0
	while [ $try -lt 20 ]; do
		try=$((try + 1))
		"$nearside" "$@" >"$folder/out" 2>"$folder/err"
		[ $? = "$code" ] && has_all && return
	done
	fail "nearside $*: exit code $code, and all this, are wanted:"
	cat "$folder/wanted"
	cat "$folder/out" "$folder/err"
}

has_all() {
	while read -r pattern; do
		cat "$folder/out" "$folder/err" | grep -qE -- "$pattern" || return
	done <"$folder/wanted"
}

# A program whose processes wait until descriptor 3 is closed.
start_app() {
	rm -f "$folder/hold" "$folder/ready"
	mkfifo "$folder/hold" "$folder/ready"
	NEARSIDE_DEVICE=$1 "$app" <"$folder/hold" >"$folder/ready" 3>&- &
	running=$!
	exec 3>"$folder/hold"
	read -r line <"$folder/ready"
	[ "$line" = ready ] || fail "the program says '$line'"
}

end_app() {
	exec 3>&-
	wait "$running" || fail "the program ended with $?"
	running=
}

# All that it sees of the program.
sees() {
	says 0 ps --cores "$1" <<END
^$2
^ +1 +1 +1 .* 3$
 0 +1 +- +reader +128 +1  reads pipe 1 at .*kernels\.c:9$
 0 +2 +- +parent .* waits for process [0-9]+ at .*kernels\.c:22$
 0 +[0-9]+ +2 +reader .* reads pipe 2 at .*kernels\.c:9$
 1 +3 .* runs, and does not wait$
END
	says 0 top -n 1 -d 0.1 -p 1 "$1" <<END
^ +0 +3 +0 +0 
reads pipe 1 at 
and 2 processes more
END
	says 0 ps --json "$1" <<END
"kernel": "parent", "frame": 128, "ends": 0, "does": "waits", "child": [1-9]
"processes": 1, .*"runs": 3, "answers": false
END
}

if [ $# = 4 ]; then
	start_app "file:$4"
	sees "file:$4" "file:$4, of a program"
	end_app
	exit $failed
fi

mkfifo "$folder/served"
"$device" serve --file "$region" --cores 2 --far 16M >"$folder/served" 3>&- &
served=$!
read -r line <"$folder/served"
says 0 ps "file:$region" <<END
no process
END
start_app "file:$region"
sees "file:$region,suspect=3" "file:$region, of a program"
says 0 info "file:$region,suspect=3" <<END
device +serves
END
says 3 info "file:$region,nonsense=3" <<END
no option of a device is called
END
end_app
says 0 ps "file:$region" <<END
no process
END
kill -9 "$served"
wait "$served" 2>/dev/null
served=
says 3 ps "file:$region" <<END
the device has ended: start it again
END
says 3 info "file:$region" <<END
device +has ended: start it again
END
says 3 info --json "file:$region" <<END
"state": "ended"
END
says 3 ps --json "file:$region" <<END
"state": "ended"
END

"$device" start --socket "$folder/socket" --foreground >"$folder/served" 3>&- &
served=$!
read -r line <"$folder/served"
says 0 ps "daemon:$folder/socket" <<END
no program has a device there
END
start_app "daemon:$folder/socket,cores=2"
sees "daemon:$folder/socket,far=1M" "file:/proc/.*, of program $running"
says 0 info "daemon:$folder/socket" <<END
device +serves
END
end_app
"$device" stop --socket "$folder/socket" || fail "stop"
wait "$served"
served=
exit $failed
