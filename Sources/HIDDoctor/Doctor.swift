// SPDX-License-Identifier: Apache-2.0

import HIDBus
import IOLoop
import SystemPackage

/// The checks of hidsim on this machine, with commands that repair the problems found.
package struct Doctor: Sendable {
  let machine = Machine()
  let surroundings = Surroundings.here()
  /// The path of the script that starts virtual machines, which may not exist; nil if none was
  /// found.
  let vmScript: String?
  /// The error of opening `/dev/uhid`; `nil` if it can be opened.
  private let uhidRefusal: Errno?

  /// Prepares the checks, and tries to open `/dev/uhid`; ``findings()`` runs the checks.
  ///
  /// - Parameter vmScript: The path of the script that `hidsim vm` runs; nil if none was found.
  package init(vmScript: String?) {
    self.vmScript = vmScript
    uhidRefusal = machine.refusal(of: "/dev/uhid")
  }

  /// Runs all checks, and changes nothing, except that it makes the bus directory if there is none.
  package func findings() -> [Finding] {
    [kernel, choice, loopback, uhid, usb, nodes, rights, udev, namespace, desktop].compactMap(
      \.self)
      + engines + [programs]
  }

  private var programs: Finding {
    Finding(
      "programs", .note,
      "libusb, PyUSB and lsusb see devices of the USB bus only; which program sees which bus: "
        + "Documentation/hidsim.docc/WillMyProgramSeeIt.md")
  }

  /// Returns a command for root: with `sudo`, unless this user is root.
  func asRoot(_ command: String) -> String { machine.userID == 0 ? command : "sudo \(command)" }

  // MARK: The buses

  /// The finding about `HIDSIM_BUS`; nil if the variable is not set, or leaves the choice of the
  /// bus to programs.
  private var choice: Finding? {
    do throws(HIDBusError) {
      let selection = try HIDBusSelection.fromEnvironment()
      guard selection != .auto else { return nil }
      let isInVain =
        switch selection {
        case .auto, .loopback: false
        case .kernel: !uhidWorks
        case .usb: USBBus.unavailability() != nil
        }
      return Finding(
        "HIDSIM_BUS", isInVain ? .problem : .note,
        "is \(selection): without --bus, programs use the \(selection) bus only",
        fixes: isInVain ? [Self.withoutChoice] : [])
    } catch {
      return Finding("HIDSIM_BUS", .fatal, error.message, fixes: [Self.withoutChoice])
    }
  }

  private static let withoutChoice = "unset HIDSIM_BUS"

  private var loopback: Finding {
    do throws(HIDBusError) {
      return Finding(
        "loopback bus", .fine, "works: programs connect in \(try BusDirectory.shared().path)")
    } catch {
      // The kernel's bus may work without the loopback bus.
      return Finding(
        "loopback bus", uhidWorks ? .warning : .fatal,
        error.message.replacing(HIDBusError.help, with: ""),
        fixes: ["export HIDSIM_BUS_DIR=\"$(mktemp -d)\""])
    }
  }

  private var kernel: Finding {
    let (release, processor) = machine.system
    let place =
      surroundings.isOwnMachine
      ? "a machine of hidsim vm"
      : surroundings.isContainer ? "a container" : "no container detected"
    let text = "Linux \(release), \(processor), \(place)"
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else { return Finding("system", .note, text) }
    if (numbers[0], numbers[1]) < (4, 18) {
      return Finding(
        "system", .warning,
        "\(text): hidsim is tested on 6.12; before 4.18 the kernel sends containers no message about a new device"
      )
    }
    if (numbers[0], numbers[1]) < (6, 12) {
      return Finding(
        "system", .note,
        """
        \(text): hidsim is tested on 6.12; 6.12 drops short input reports; older kernels may add zeros \
        to them and deliver them
        """
      )
    }
    if (numbers[0], numbers[1]) >= (6, 16) {
      return Finding(
        "system", .note,
        """
        \(text): hidsim is tested on 6.12; from 6.16 on the kernel may send a set-report request \
        when a program opens a node
        """
      )
    }
    return Finding("system", .fine, text)
  }

  /// The finding about the USB bus, which is used only if it is asked for by name.
  private var usb: Finding {
    guard let (all, free) = VirtualHostController.portCounts else {
      return Finding(
        "USB bus", .note,
        "--bus usb does not work here: the kernel's driver vhci_hcd is not loaded",
        fixes: [
          "hidsim vm -- hidsim run keyboard.json --bus usb  # a kernel of its own",
          asRoot("modprobe vhci-hcd"),
        ])
    }
    guard USBBus.unavailability() == nil else {
      return Finding(
        "USB bus", .note,
        machine.userID == 0
          ? "--bus usb does not work here: /sys cannot be written, as in a container"
          : "--bus usb does not work for this user: root only may attach devices to vhci_hcd",
        fixes: ["hidsim vm -- hidsim run keyboard.json --bus usb  # a kernel of its own"])
    }
    return Finding(
      "USB bus", .fine, "--bus usb works: \(free) of \(all) ports of vhci_hcd are free")
  }

  private var uhid: Finding {
    guard let error = uhidRefusal else {
      return Finding("/dev/uhid", .fine, "can be opened: the kernel's bus works")
    }
    switch error {
    case .noSuchFileOrDirectory: return missing
    case .noSuchAddressOrDevice, .operationNotSupportedByDevice:
      return Finding(
        "/dev/uhid", .problem, "is there, but its driver is missing (\(error))",
        fixes: [asRoot("modprobe uhid")])
    case .permissionDenied, .notPermitted:
      return refused(error)
    default:
      return Finding(
        "/dev/uhid", .problem, "cannot be opened: \(error)", fixes: Self.machineOfItsOwn)
    }
  }

  private static let machineOfItsOwn = [
    "hidsim vm -- hidsim run keyboard.json  # a kernel of its own"
  ]

  private var missing: Finding {
    let registered = machine.lines("/proc/misc").first { $0.hasSuffix(" uhid") }
    if let registered, !surroundings.isContainer {
      let minor = registered.split(separator: " ").first.map(String.init) ?? "239"
      return Finding(
        "/dev/uhid", .problem, "is missing, although its driver is there",
        fixes: [asRoot("mknod -m 600 /dev/uhid c 10 \(minor)")])
    }
    if surroundings.isContainer {
      return Finding(
        "/dev/uhid", .problem, "is not in this container",
        fixes: [
          "sudo modprobe uhid  # on the host",
          "docker run --device /dev/uhid -v /dev:/dev --device-cgroup-rule 'c *:* rw' …  # instead of docker run …",
        ] + Self.machineOfItsOwn)
    }
    let (release, _) = machine.system
    let folder = "/lib/modules/\(release)"
    if machine.hasLine("\(folder)/modules.dep", containing: "/uhid.ko")
      || machine.hasLine("\(folder)/modules.builtin", containing: "/uhid.ko")
    {
      return Finding(
        "/dev/uhid", .problem, "is missing: its module is not loaded",
        fixes: [
          asRoot("modprobe uhid"),
          "echo uhid | \(asRoot("tee /etc/modules-load.d/uhid.conf"))  # loads it at every start",
        ])
    }
    return Finding(
      "/dev/uhid", .problem, "is missing, and this kernel has no module for it in \(folder)",
      fixes: [
        "\(asRoot("apt-get install linux-modules-extra-\(release)")) && \(asRoot("modprobe uhid"))  # on Ubuntu"
      ] + Self.machineOfItsOwn)
  }

  private func refused(_ error: Errno) -> Finding {
    let rights = machine.rights(of: "/dev/uhid")
    if machine.userID == 0, !machine.isFirstUserNamespace {
      return Finding(
        "/dev/uhid", .problem,
        """
        cannot be opened (\(error)): root of a user namespace has no permission for the machine's \
        devices
        """,
        fixes: [
          "sudo chmod o+rw /dev/uhid  # outside of the namespace; all users can then plug devices"
        ]
          + Self.machineOfItsOwn)
    }
    if machine.userID == 0 {
      return Finding(
        "/dev/uhid", .problem,
        """
        cannot be opened (\(error)), although this user is root: probably the device rules of a \
        container forbid it
        """,
        fixes: ["docker run --device /dev/uhid …  # instead of docker run …"] + Self.machineOfItsOwn
      )
    }
    return Finding(
      "/dev/uhid", .problem, "you have no permission to open it (\(rights))",
      fixes: installingRules + [
        "sudo setfacl -m u:$(id -un):rw /dev/uhid  # instead, until the next start"
      ])
  }

  private static let joiningGroup =
    "sudo usermod --append --groups hidsim \"$USER\"  # then log in again"

  private var installingRules: [String] {
    // The rules are beside the script of hidsim vm, in a checkout as in an installation.
    let rules = FilePath(vmScript ?? "scripts/vm").removingLastComponent()
      .appending("70-hidsim.rules").string
    return [
      "sudo groupadd --system --force hidsim",
      Self.joiningGroup,
      "sudo cp \(rules.quotedForShell) /etc/udev/rules.d/72-hidsim.rules && sudo udevadm control --reload",
      "sudo modprobe uhid && sudo udevadm trigger --action=add /sys/devices/virtual/misc/uhid",
    ]
  }

  // MARK: The nodes of devices

  private var uhidWorks: Bool { uhidRefusal == nil }

  private var nodes: Finding? {
    if !machine.exists("/sys/class/hidraw") {
      return Finding(
        "hidraw", uhidWorks ? .problem : .note,
        "this kernel has no hidraw, or /sys is not mounted",
        fixes: Self.machineOfItsOwn)
    }
    guard uhidWorks else { return nil }
    let type = machine.fileSystem(of: "/dev") ?? "no mount"
    guard type == "devtmpfs" else {
      return Finding(
        "hidraw", .warning,
        """
        found \(type) at /dev, expected devtmpfs: the nodes of new devices do not appear there, \
        and no program can open them
        """,
        fixes: [
          "docker run -v /dev:/dev --device-cgroup-rule 'c *:* rw' …  # instead of docker run …"
        ])
    }
    return Finding("hidraw", .fine, "the kernel has it, and nodes appear in /dev")
  }

  private static let ruleFolders = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  private var rights: Finding? {
    guard uhidWorks, machine.userID != 0 else { return nil }
    let rules = Self.ruleFolders.flatMap { folder in
      SysFS.names(in: folder).filter { $0.hasSuffix("hidsim.rules") }.map { "\(folder)/\($0)" }
    }
    if let first = rules.first {
      guard let group = machine.group(named: "hidsim") else {
        return Finding(
          "rights", .warning,
          "\(first) is installed, but there is no group hidsim to own the nodes",
          fixes: installingRules)
      }
      guard machine.isMember(of: group) else {
        return Finding(
          "rights", .warning,
          "\(first) is installed, but you are not in the group hidsim, which owns the nodes",
          fixes: [Self.joiningGroup])
      }
      return Finding("rights", .fine, "\(first) is installed, and you are in the group hidsim")
    }
    return Finding(
      "rights", .warning,
      "the udev rule of hidsim is not installed: the nodes of its devices belong to root, and your programs cannot open them",
      fixes: installingRules)
  }

  private var udev: Finding? {
    guard uhidWorks else { return nil }
    do throws(MissingUdev) {
      if try Udev.shared.get().isActive { return Finding("udev", .fine, "udevd runs") }
    } catch {
      return Finding(
        "udev", .note,
        """
        libudev cannot be loaded (\(error.problem)): hidsim reads sysfs itself. It does not wait \
        until udevd has set the permissions of a device's nodes, and does not see that the udev \
        rule keeps a device from desktops
        """,
        fixes: machine.isProgram("apt-get") ? [asRoot("apt-get install libudev1")] : [])
    }
    return Finding(
      "udev", .warning,
      "no udevd runs: programs that find devices by libudev (libinput, hidapi) may find none, and rules have no effect",
      fixes: [asRoot("/lib/systemd/systemd-udevd --daemon")])
  }

  private var namespace: Finding? {
    guard !machine.isFirstUserNamespace else { return nil }
    return Finding(
      "user namespace", .note,
      """
      the kernel's messages about devices (uevents) do not arrive here: hidsim watches the nodes instead, \
      and finds a device ready 0.2 s later
      """
    )
  }

  private var desktop: Finding? {
    guard uhidWorks else { return nil }
    if surroundings.hasTextConsole, !surroundings.isAlone {
      return Finding(
        "desktop", .warning,
        """
        a user is logged in on a text console, which reads every keyboard: hidsim grabs the evdev \
        nodes of its devices, unless you add --live
        """,
        fixes: ["hidsim run --live FILE  # lets the text console receive the input"])
    }
    if surroundings.hasActiveSeat, !surroundings.isAlone {
      return Finding(
        "desktop", .note,
        """
        a user is logged in at a desktop: hidsim keeps the input of its devices away from it, \
        unless you add --live
        """
      )
    }
    if surroundings.isContainer, !surroundings.isAlone {
      return Finding(
        "desktop", .note,
        """
        from a container hidsim cannot see whether a user is at the machine's desktop: it keeps \
        the input of its devices away from the desktop
        """,
        fixes: ["export CI=1  # if no user works at this machine"])
    }
    return Finding(
      "desktop", .fine,
      surroundings.isCI
        ? "CI is set: hidsim assumes that no user is at a desktop" : "no user is at a desktop here")
  }
}
