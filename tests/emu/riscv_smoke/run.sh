#!/bin/sh
# run.sh FIRMWARE EXPECTED: runs the firmware on QEMU's RISC-V machine, which must print what is
# expected and power off.
set -eu
if ! command -v qemu-system-riscv64 >/dev/null; then
	echo "skipped: qemu-system-riscv64 is not installed (package qemu-system-riscv)"
	exit 77
fi
got=$(mktemp)
trap 'rm -f "$got"' EXIT
status=0
timeout 60 qemu-system-riscv64 -M virt -smp 3 -m 64M -bios none -nographic -no-reboot -monitor none \
	-serial stdio -kernel "$1" </dev/null >"$got" || status=$?
tr -d '\r' <"$got" | diff -u "$2" - || exit 1
[ "$status" -eq 0 ] || { echo "qemu-system-riscv64 ended with $status"; exit 1; }
