#!/bin/sh
# fetch-kernel.sh FOLDER: makes FOLDER, with a Linux kernel that has CXL (vmlinuz) and the modules
# that its guest loads (modules/*.ko). Both are unpacked from Debian's package, which apt fetches;
# nothing is installed, and root is not needed.
set -eu
folder=$1
name=linux-image-6.12-cloud-amd64 # depends on the newest one
wanted="cxl_acpi cxl_pci cxl_mem dax_cxl device_dax"

fail() {
	echo "$*" >&2
	exit 1
}

for tool in apt-cache apt-get dpkg-deb xz; do
	command -v $tool >/dev/null || fail "no $tool on this machine, to fetch a kernel of Debian with;" \
		"copy a folder that another machine has fetched to $folder"
done
package=$(apt-cache depends $name 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
[ -n "$package" ] || fail "apt knows no $name: type apt-get update; on Debian 12 it comes from" \
	"bookworm-backports, which scripts/install.sh adds to apt's sources"

mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
apt-get -qq -o APT::Sandbox::User= -o Acquire::Retries=3 download "$package" >log 2>&1 ||
	fail "apt cannot fetch $package: $(cat log)"
dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x --wildcards './boot/vmlinuz-*' '*/drivers/cxl/*' '*/drivers/dax/*'
mkdir ready ready/modules
mv boot/vmlinuz-* ready/vmlinuz
for module in $wanted; do
	find lib -name "$module.ko.xz" -exec xz -dc {} + >"ready/modules/$module.ko"
	[ -s "ready/modules/$module.ko" ] || fail "$package has no module $module"
done
chmod -R go+rX ready
# Whoever was faster has done the same.
mv -T ready "$folder" 2>/dev/null || [ -f "$folder/vmlinuz" ] || fail "cannot make $folder"
