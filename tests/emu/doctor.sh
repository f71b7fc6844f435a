#!/bin/sh
# doctor.sh NEARSIDE: nearside doctor on this machine, and on trees of files that other machines are
# said to have: what is missing there is named, with what to type.
set -eu
nearside=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $nearside in /*) ;; *) nearside=$PWD/$nearside ;; esac
cd "$work"
failed=0

# says TEXT: the last report has it.
says() {
	grep -qF -- "$1" out || {
		echo "the report does not say '$1':"
		cat out
		failed=1
	}
}

lacks() {
	if grep -qF -- "$1" out; then
		echo "the report says '$1'"
		failed=1
	fi
}

# report SUBJECT...: of the tree.
report() {
	"$nearside" doctor --root="$work/tree" "$@" >out
}

# file PATH TEXT
file() {
	mkdir -p "tree$(dirname "$1")"
	printf '%s\n' "$2" >"tree$1"
}

folder() {
	mkdir -p "tree$1"
}

# This machine: every subject has something to say, in both forms.
"$nearside" doctor >out
for subject in cpu numa cxl dax dsa kernel limits container versions; do
	grep -qx "$subject" out || {
		echo "nothing is said of $subject"
		failed=1
	}
done
"$nearside" doctor --json >out
string='"([^"\\]|\\.)*"'
awk 'NR == 1 { exit $0 != "[" }' out && [ "$(tail -n 1 out)" = "]" ] || failed=1
if sed '1d; $d' out |
	grep -vE "^  [{]\"subject\": $string, \"level\": \"(good|note|missing)\", \"text\": $string, \"remedy\": $string[}],?$"; then
	echo "(not the JSON that was promised)"
	failed=1
fi

# A processor with some of the instructions.
file /proc/cpuinfo 'model name	: Test "9000"
flags		: fpu sse4_2 avx2 movdir64b la57'
report cpu
says 'Test "9000"'
says 'MOVDIR64B: yes'
says 'ENQCMD: no: shared DSA queues are used by write()'
says 'no5lvl'
"$nearside" doctor --json --root="$work/tree" cpu >out
says '"text": "Test \"9000\""'

# Nodes: a far one.
report numa
says 'the kernel shows no NUMA nodes'
file /sys/devices/system/node/node0/cpulist 0-3
file /sys/devices/system/node/node0/distance '10 20'
file /sys/devices/system/node/node1/cpulist ''
file /sys/devices/system/node/node1/distance '20 10'
file /sys/devices/system/node/node1/meminfo 'Node 1 MemTotal:       1048576 kB'
report numa
says 'node 0: processors 0-3'
says 'node 1: no processors: far memory, 1048576 kB, distances 20 10; NEARSIDE_DEVICE=numa:1'

# CXL, layer by layer. Cases 31, 38 and 47.
report cxl
says 'modprobe -a cxl_acpi cxl_pci cxl_mem cxl_port'
folder /sys/bus/cxl/devices
report cxl
says 'the driver cxl_mem is not loaded'
says 'no CXL memory device is shown'
folder /sys/bus/cxl/drivers/cxl_mem
file /sys/bus/cxl/devices/mem0/ram/size 0x10000000
report cxl
lacks 'is not loaded'
says 'memory device mem0: 0x10000000 bytes'
says 'sudo cxl create-region'
file /sys/bus/cxl/devices/region0/size 0x10000000
file /sys/bus/cxl/devices/region0/commit 0
report cxl
says 'not committed'
file /sys/bus/cxl/devices/region0/commit 1
report cxl
says 'no DAX device on one'
file /sys/bus/dax/devices/dax0.0/size 268435456
report cxl
lacks missing

# DAX: no driver, the wrong mode, no file, all there.
file /sys/bus/dax/devices/dax0.0/align 2097152
report dax
says 'no driver has it'
folder /sys/bus/dax/drivers/kmem/dax0.0
report dax
says 'daxctl reconfigure-device --mode=devdax --force dax0.0'
rm -r tree/sys/bus/dax/drivers/kmem
folder /sys/bus/dax/drivers/device_dax/dax0.0
report dax
says 'there is no /dev/dax0.0'
file /dev/dax0.0 ''
report dax
says 'devdax, 268435456 bytes, alignment 2097152; NEARSIDE_DEVICE=dax:/dev/dax0.0'

# Kernels. Case 40: one that cannot; case 32: an option that guests need.
file /proc/sys/kernel/osrelease 6.8.0-31-generic
report kernel
says 'CXL endpoints cannot be added in 6.8'
says 'neither /boot/config-6.8.0-31-generic nor /proc/config.gz'
file /proc/sys/kernel/osrelease 6.12.1
file /boot/config-6.12.1 'CONFIG_NUMA=y
CONFIG_CXL_PCI=m
# CONFIG_DEV_DAX is not set'
file /proc/cpuinfo 'flags		: fpu hypervisor'
report kernel
says 'Linux 6.12.1'
says 'CONFIG_NUMA=y'
says 'CONFIG_CXL_PCI=m'
says 'CONFIG_DEV_DAX is off'
says 'CONFIG_CXL_REGION_INVALIDATION_TEST is off'
rm tree/boot/config-6.12.1
printf 'CONFIG_CXL_REGION_INVALIDATION_TEST=y\n' | gzip >tree/proc/config.gz
report kernel
lacks 'CONFIG_CXL_REGION_INVALIDATION_TEST'
says 'CONFIG_NUMA is off'

# Where it runs.
report container
says 'a virtual machine'
says 'no container'
file /.dockerenv ''
file /proc/sys/kernel/unprivileged_userns_clone 0
report container
says 'a container of Docker'
says 'kernel.unprivileged_userns_clone=1'

file /proc/meminfo 'HugePages_Total:       0
Hugepagesize:       2048 kB'
file /proc/sys/vm/overcommit_memory 2
folder /dev/shm
report limits
says 'vm.nr_hugepages'
says 'vm.overcommit_memory=0'

code=0
"$nearside" doctor dragons >out 2>err || code=$?
[ "$code" = 2 ] || {
	echo "an unknown subject gives exit code $code"
	failed=1
}
exit $failed
