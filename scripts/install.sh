#!/bin/sh
# install.sh [SECTION...]: installs what scripts/packages.txt lists and this machine lacks. Says
# what it does; a second run does nothing. Packages below the line "# backports" come from
# bookworm-backports, which is added to apt's sources as a copy of the machine's own entry for
# bookworm (same mirror, same key). Packages below another line "# SECTION" are installed only when
# it is named: "bench" is what scripts/bench.sh compares with.
#
# NEARSIDE_SKIP_INSTALL=1 leaves the machine as it is.
set -eu
cd "$(dirname "$0")/.."

packages=scripts/packages.txt
suite=bookworm-backports

say() {
	printf 'install: %s\n' "$*"
}

fail() {
	say "$@" >&2
	exit 1
}

# The packages of sections: "debian" (above the first section line), "backports", and so on.
listed() {
	awk -v wanted=" $* " 'BEGIN { section = "debian" }
		/^# [a-z]+$/ { section = $2 }
		/^[^#]/ && index(wanted, " " section " ") { print $1 }' "$packages"
}

# Of the packages named on standard input, those that are not installed.
missing() {
	while read -r name; do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) || state=absent
		[ "$state" = installed ] || printf '%s ' "$name"
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Quiet but for errors.
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
		-o Dpkg::Use-Pty=0 -qq "$@" >/dev/null
}

require_debian_12() {
	# shellcheck disable=SC1091 # the machine's
	system=$(. /etc/os-release && printf '%s %s' "${ID:-unknown}" "${VERSION_ID:-}")
	[ "$system" = "debian 12" ] || fail "this machine is '$system'; packages are installed on Debian 12 only." \
		"Install by hand what matches $packages ($need), then set NEARSIDE_SKIP_INSTALL=1."
}

require_root() {
	[ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
		fail "needs root to install $need. Become root and type: $PWD/scripts/install.sh"
}

add_backports() {
	! grep -rqsE "^(deb|Suites:).* $suite( |\$)" /etc/apt/sources.list /etc/apt/sources.list.d || return 0
	entry=$(scripts/backports-source.sh /etc/apt) ||
		fail "apt has no source for bookworm main to copy for $suite; add $suite by hand."
	case $entry in
	"deb "*) file=/etc/apt/sources.list.d/nearside-backports.list ;;
	*) file=/etc/apt/sources.list.d/nearside-backports.sources ;;
	esac
	say "adding the source $file:"
	printf '%s\n' "$entry" | sed 's/^/    /'
	printf '%s\n' "$entry" | as_root tee "$file" >/dev/null
}

if [ -n "${NEARSIDE_SKIP_INSTALL:-}" ]; then
	say "skipped (NEARSIDE_SKIP_INSTALL is set)"
	exit 0
fi
command -v dpkg-query >/dev/null || fail "no dpkg on this machine; install by hand what matches" \
	"$packages, then set NEARSIDE_SKIP_INSTALL=1."

need_debian=$(listed debian "$@" | missing)
need_backports=$(listed backports | missing)
need="$need_debian$need_backports"
if [ -z "$need" ]; then
	say "nothing to do, all packages of $packages are there"
	exit 0
fi

require_debian_12
require_root
say "will install from Debian (a bare system needs 1.8 GB): $need"
[ -z "$need_backports" ] || add_backports
say "fetching package lists"
apt update || say "apt-get update had errors; going on with the lists that there are"
say "fetching and unpacking packages"
# shellcheck disable=SC2086 # a list of names
[ -z "$need_debian" ] || apt install -y --no-install-recommends $need_debian
# shellcheck disable=SC2086
[ -z "$need_backports" ] || apt install -y --no-install-recommends -t "$suite" $need_backports ||
	fail "could not install $need_backports from $suite. Does the mirror in" \
		"/etc/apt/sources.list.d/nearside-backports.* carry it?"
still=$(listed debian backports "$@" | missing)
[ -z "$still" ] || fail "could not install: $still"
say "done"
