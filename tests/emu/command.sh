#!/bin/sh
# command.sh NEARSIDE: help, version and exit codes of the program `nearside`.
set -u
nearside=$1
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
	"$nearside" "$@" >out 2>err
	code=$?
	[ "$code" = "$wanted" ] || {
		fail "nearside $*: exit code $code, not $wanted"
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

run 0 --help
says out "nearside COMMAND --help"
commands=$(sed -n '/^Commands$/,/^$/s/^  \([a-z][-a-z]*\) .*/\1/p' out)
[ -n "$commands" ] || fail "--help lists no command"
for command in $commands; do
	run 0 "$command" --help
	says out "usage: nearside $command"
	run 2 "$command" --no-such-option
	says err "nearside $command: "
done
# What emulated machines need is named with the version, and with what to type.
mkdir tools
cat >tools/qemu-system-riscv64 <<END
#!/bin/sh
echo QEMU emulator version 7.2.0
END
chmod +x tools/qemu-system-riscv64
path=$PATH
PATH=$folder/tools
run 1 vm check
PATH=$path
says err "qemu-system-riscv64 is too old (QEMU emulator version 7.2.0; 10.0 is needed)"
says err "apt-get install -t bookworm-backports qemu-system-riscv"
says err "qemu-system-x86_64 is not installed; on Debian 12: apt-get install -t bookworm-backports qemu-system-x86"
says err "busybox is not installed; on Debian 12: apt-get install -t bookworm busybox-static"

run 0 --version
grep -qE '^nearside [0-9]+\.[0-9]+' out || fail "--version says: $(cat out)"
run 2
says err "no command; nearside --help lists the commands"
run 2 no-such-command
says err "unknown command: no-such-command"
"$nearside" --help >/dev/full 2>err && fail "help that cannot be written is no failure"
says err "cannot write to standard output"
exit $failed
