# Sourced by the other scripts: functions that find and install what the scripts need.
# shellcheck shell=bash

script=scripts/$(basename "$0")
say() { printf '%s: %s\n' "$script" "$*" >&2; }
fail() {
  local status=$1
  shift
  say "$@"
  exit "$status"
}

# Prints the packages of those `path-or-command=package` pairs whose path or command is missing. A
# path may be a pattern.
missing_packages() {
  local pair thing
  for pair; do
    thing=${pair%%=*}
    case $thing in
      /*) compgen -G "$thing" >/dev/null || printf '%s\n' "${pair#*=}" ;;
      *) command -v "$thing" >/dev/null || printf '%s\n' "${pair#*=}" ;;
    esac
  done | sort -u
}

# Fetches the lists of packages, as root and if the machine has none yet. Without them a package
# cannot be found by the beginning of its name.
need_package_lists() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
  ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || return 0
  apt-get -o DPkg::Lock::Timeout=300 -q update >/dev/null 2>&1 </dev/null || true
}

# Runs a command as root: directly if this user is root; in a CI by sudo without a password, since
# its machines are made for one job. Otherwise it fails.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif [ -n "${CI:-}" ] && command -v sudo >/dev/null; then sudo -n "$@"; else return 1; fi
}

# Prints a hash of the files in folders: of their contents and their names.
files_hash() { find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1; }

# Installs packages, and prints their names, if as_root works. Otherwise it prints the commands that
# install them, and exits with status 69.
need_packages() {
  [ $# -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    fail 69 "packages are missing, and there is no apt-get; install them another way (Debian's names): $*"
  fi
  if ! as_root true 2>/dev/null; then
    say "packages are missing; install them with"
    printf '    sudo apt-get update\n    sudo apt-get install --no-install-recommends %s\n' "$*" >&2
    exit 69
  fi
  say "installing $*"
  local log
  log=$(mktemp "${TMPDIR:-/tmp}/hidsim-packages.XXXXXX")
  if ! {
    as_root apt-get -o DPkg::Lock::Timeout=300 -q update &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y \
        --no-install-recommends install "$@"
  } >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    fail 69 "apt-get could not install $*; the whole log is $log"
  fi
  rm -f "$log"
}

# Prints the missing packages that Swift on Linux needs: git and certificates for the packages that
# hidsim uses, the C library, the C++ library and the linker's start files, and the libraries that
# Swift's programs load.
swift_packages() {
  missing_packages git=git gcc=gcc /usr/include/stdio.h=libc6-dev \
    /etc/ssl/certs/ca-certificates.crt=ca-certificates \
    '/usr/lib/gcc/*/*/libstdc++.so=libstdc++-12-dev' '/usr/share/zoneinfo/UTC=tzdata' |
    sed "s/^libstdc++-12-dev\$/$(cxx_package)/"
  missing_libraries
}

# Prints the package of the C++ library that belongs to the machine's gcc.
cxx_package() {
  local version
  version=$(apt-cache show gcc 2>/dev/null | sed -n 's/^Depends:.* gcc-\([0-9]*\).*/\1/p' | head -1)
  printf 'libstdc++-%s-dev\n' "${version:-12}"
}

# Prints the missing libraries of Swift's programs in a folder.
lost_libraries() {
  local program
  for program in swift-driver swift-frontend swift-package swift-format clang; do
    [ ! -e "$1/$program" ] || ldd "$1/$program" 2>/dev/null
  done | awk '/not found/ { print $1 }' | sort -u
}

# Prints the packages of these libraries.
missing_libraries() {
  local library
  lost_libraries "$swift_bin" | while read -r library; do
    case $library in
      libxml2.so*) echo libxml2 ;;
      libsqlite3.so*) echo libsqlite3-0 ;;
      libncurses.so*) echo libncurses6 ;;
      libncursesw.so*) echo libncursesw6 ;;
      libtinfo.so*) echo libtinfo6 ;;
      libcurl.so*) echo libcurl4 ;;
      libedit.so*) echo libedit2 ;;
      libz.so*) echo zlib1g ;;
      libuuid.so*) echo libuuid1 ;;
      libstdc++.so*) echo libstdc++6 ;;
      *) say "Swift needs the library $library, which is missing; install it" ;;
    esac
  done
}

# Returns whether the Swift in a folder is 6.2 or newer, as Package.swift requires.
swift_is_new_enough() {
  local version
  version=$("$1/swift" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p') || true
  if [ -z "$version" ]; then
    # A compiler whose libraries are missing cannot print its version, but may be new enough.
    [ -n "$(lost_libraries "$1")" ]
  else
    [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" = 6.2 ]
  fi
}

# Finds Swift, on PATH or where it is usually unpacked, and puts it on PATH; installs what it needs.
need_swift() {
  local candidate found=
  swift_bin=
  while read -r candidate; do
    [ -x "$candidate" ] || continue
    found=$candidate
    candidate=$(dirname "$(readlink -f "$candidate")")
    if [ -x "$candidate/swift-frontend" ] && swift_is_new_enough "$candidate"; then
      swift_bin=$candidate
      break
    elif swift_is_new_enough "$(dirname "$found")"; then  # swiftly's: a proxy, not a link
      swift_bin=$(dirname "$found")
      break
    fi
  done < <(
    type -ap swift || true
    printf '%s\n' "${SWIFTLY_BIN_DIR:-${HOME:-}/.local/share/swiftly/bin}/swift" \
      "${HOME:-}"/.local/share/swiftly/toolchains/*/usr/bin/swift \
      /opt/*/usr/bin/swift /usr/local/swift*/usr/bin/swift /usr/share/swift*/usr/bin/swift \
      /usr/libexec/swift*/bin/swift
  )
  if [ -z "$swift_bin" ]; then
    [ -z "$found" ] || say "$found is older than Swift 6.2"
    cat >&2 <<TEXT
$script: Swift 6.2 or newer is missing. Install it in one of these ways:
    - Install swiftly, Swift's own installer, as swift.org says ("Install Swift", Linux). Then run
          swiftly install latest
    - Or get the toolchain for this system ($(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-Linux}"), $(uname -m)) from the
      same page. Unpack it anywhere, and put its usr/bin on PATH:
          export PATH=/path/to/swift/usr/bin:\$PATH
TEXT
    exit 69
  fi
  local packages
  mapfile -t packages < <(swift_packages)
  need_packages "${packages[@]}"
  swift_is_new_enough "$swift_bin" || fail 69 "$swift_bin/swift does not run, or is older than 6.2"
  case :$PATH: in *":$swift_bin:"*) ;; *) PATH=$swift_bin:$PATH ;; esac
}

# Waits for a job, and shows its progress on stderr: on a terminal one line that is rewritten each
# second, otherwise one line each minute. `follow_job JOB FUNCTION`: FUNCTION prints the progress in
# a few words. A job of less than two seconds shows nothing. Returns the status of the job.
follow_job() {
  local job=$1 progress=$2 from=$SECONDS next=$((SECONDS + 2)) text='' width
  width=$(tput cols 2>/dev/null || echo 80)
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.2 &
    wait $! || true
    [ "$SECONDS" -ge "$next" ] || continue
    text="$script: $("$progress"), $(in_minutes $((SECONDS - from)))"
    if [ -t 2 ]; then
      printf '\r\e[K%s' "${text:0:$((width - 1))}" >&2
      next=$((SECONDS + 1))
    else
      printf '%s\n' "$text" >&2
      next=$((SECONDS + 60))
    fi
  done
  [ ! -t 2 ] || [ -z "$text" ] || printf '\r\e[K' >&2
  wait "$job"
}

# Prints a number of seconds as 7 s, or 1 min 05 s.
in_minutes() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Prints the percentage that is done, and the time that the rest takes at the pace of this run:
# `share_done DONE TOTAL DONE-BEFORE-THIS-RUN SECONDS-OF-THIS-RUN`.
share_done() {
  local done=$1 total=$2 before=$3 seconds=$4
  [ "$done" -lt "$total" ] || done=$((total - 1))
  printf '%d %%' $((done * 100 / total))
  # With less than a twentieth done, the pace is not known.
  [ $(((done - before) * 20)) -lt "$total" ] ||
    printf ', about %s left' "$(in_minutes $((seconds * (total - done) / (done - before) + 1)))"
}

# Builds a part of Package.swift for tests. In a CI modules are compiled as a whole, which takes a
# sixth less work: no file changes there between two builds.
build_swift() {
  local options=()
  [ -z "${CI:-}" ] || mapfile -t options < <(whole_modules)
  swift build --quiet "${options[@]}" "$@"
}
# Prints the options for that, one a line. Of the debug information only line numbers are kept.
whole_modules() {
  printf '%s\n' -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc "$(nproc)" -Xswiftc -gline-tables-only
}

# Installs Python packages into .build-tools/python of a folder, for tools that the system has no
# package of. The system's own Python is not changed. `need_python_tools FOLDER MODULE PACKAGE...`:
# nothing is installed if MODULE can be imported.
need_python_tools() {
  local folder=$1/.build-tools/python
  shift
  need_python_packages "$folder" "$@"
}

# Does the same in any folder, which becomes a virtual environment.
need_python_packages() {
  local folder=$1 module=$2 log
  shift 2
  ! "$folder/bin/python3" -c "import $module" 2>/dev/null || return 0
  say "installing $* into ${folder#"$PWD/"}"
  log=$(mktemp "${TMPDIR:-/tmp}/hidsim-packages.XXXXXX")
  if ! {
    /usr/bin/python3 -m venv --clear "$folder" &&
      "$folder/bin/python3" -m pip --disable-pip-version-check install "$@"
  } >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    fail 69 "pip could not install $*; the whole log is $log"
  fi
  rm -f "$log"
}

# Installs the tools that build and install the wheel of Python/: `need_wheel_tools FOLDER`.
need_wheel_tools() {
  local packages
  mapfile -t packages < <(missing_packages "${wheel_packages[@]}")
  need_package_lists
  need_packages "${packages[@]}"
  need_python_packages "$1/.build-tools/wheel" setuptools.command.bdist_wheel 'pip>=23' 'setuptools>=77' wheel
}

# The system's packages for the tests of Python/ on the kernel's bus, and for the tools above:
# arguments of missing_packages.
# shellcheck disable=SC2034 # of who sources this
python_kernel_packages=('/usr/lib/python3/dist-packages/hidraw*.so=python3-hid'
  /usr/lib/python3/dist-packages/evdev=python3-evdev udevadm=udev)
# shellcheck disable=SC2034 # of who sources this
browser_packages=(/usr/bin/python3=python3-minimal '/usr/lib/python3*/ensurepip/__init__.py=python3-venv'
  chromium=chromium '/usr/lib/*/libxkbcommon.so.0=libxkbcommon0' /usr/share/X11/xkb/symbols/us=xkb-data)
wheel_packages=(/usr/bin/python3=python3-minimal '/usr/lib/python3*/ensurepip/__init__.py=python3-venv')

# The programs of other projects that scripts/real-programs tries, from the system's packages and,
# in several versions, from PyPI.
# shellcheck disable=SC2034 # of who sources this
real_program_packages=(/usr/bin/python3=python3-minimal '/usr/lib/python3*/ensurepip/__init__.py=python3-venv' udevadm=udev
  evtest=evtest libinput=libinput-tools sensors=lm-sensors i2cget=i2c-tools gpioget=gpiod
  solaar=solaar ratbagd=ratbagd upower=upower dbus-daemon=dbus-daemon fido2-token=fido2-tools
  ssh-keygen=openssh-client '/usr/lib/*/libhidapi-libusb.so.0=libhidapi-libusb0'
  '/usr/lib/*/libhidapi-hidraw.so.0=libhidapi-hidraw0' '/usr/lib/*/libSDL2-2.0.so.0=libsdl2-2.0-0'
  /usr/lib/python3/dist-packages/evdev/__init__.py=python3-evdev)
# shellcheck disable=SC2034 # of who sources this
sdl_versions=(2.26.5 2.28.5 2.32.10)

# library_products prints the modules of the libraries that are products, one a line.
library_products() {
  sed -n 's/^ *\.library(name: "\(\w*\)", targets: \["\(\w*\)"\]),$/\2/p' "$PWD/Package.swift"
}

# extract_symbols MODULE FOLDER [OPTION...]: writes the symbol graph of a module, which must be built, into FOLDER.
extract_symbols() {
  local module=$1 folder=$2 modules map maps=()
  shift 2
  modules=$(dirname "$(find "$(swift build --show-bin-path)" -name "$module.swiftmodule" | head -n 1)")
  # The compiler finds C modules by their module maps.
  while read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find "$PWD"/Sources/{CLinux,CUdev,CXKB,COpenSSL}/include "$PWD"/.build/checkouts/{swift-system,swift-numerics,Yams}* \
      -name module.modulemap -path '*/include/*'
  )
  swift symbolgraph-extract -module-name "$module" -I "$modules" "${maps[@]}" -minimum-access-level public \
    -target "$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)" -output-dir "$folder" "$@"
}

# kernel_source prints the newest kernel source that a package of the distribution has installed.
# kernel_source_package prints the package to install.
kernel_source() {
  find /usr/src -maxdepth 2 -name 'linux-source-[6-9]*.tar.*' 2>/dev/null | sort -V | tail -1
}
kernel_source_package() {
  apt-cache search --names-only '^linux-source-[6-9][0-9.]*$' 2>/dev/null | cut -d' ' -f1 |
    sort -V | tail -1 | grep . || echo linux-source
}

# The system's packages for the kernel's HID self-tests: arguments of missing_packages.
# shellcheck disable=SC2034 # of who sources this
hid_selftests_packages=(udevadm=udev xz=xz-utils '/usr/lib/*/libevdev.so.2=libevdev2'
  '/usr/lib/python3*/ensurepip/__init__.py=python3-venv')

# Installs hid-tools, and the other packages that the kernel's HID self-tests use:
# `need_hid_tools FOLDER`.
need_hid_tools() {
  need_python_tools "$1" 'hidtools.uhid, libevdev, pytest, pyudev, attr' \
    'hid-tools==0.12' 'pytest>=8.2' 'pyudev~=0.24' 'attrs>=23'
}

# Unpacks the kernel's own HID self-tests into .build-tools of a folder, and installs the packages
# that they use: `need_hid_selftests FOLDER`. Their source is the package from which scripts/vm
# builds its kernel.
need_hid_selftests() {
  local folder=$1/.build-tools/hid-selftests source work
  need_hid_tools "$1"
  [ ! -d "$folder" ] || return 0
  source=$(kernel_source)
  if [ -z "$source" ]; then
    need_packages "$(kernel_source_package)" xz-utils
    source=$(kernel_source)
    [ -n "$source" ] || fail 69 "no linux-source package of Linux 6 or newer is available here"
  fi
  say "unpacking the kernel's HID self-tests into ${folder#"$PWD/"}"
  mkdir -p "$1/.build-tools"
  work=$(mktemp -d "$1/.build-tools/unpacking.XXXXXX")
  tar -xf "$source" -C "$work" --strip-components=1 --wildcards '*/tools/testing/selftests/hid/tests' ||
    fail 69 "$source has no HID self-tests"
  mv "$work/tools/testing/selftests/hid" "$folder"
  rm -rf "$work"
}
