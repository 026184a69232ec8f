// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
@testable import HIDBus
import HIDUsages
import IOLoop
import SystemPackage
import TestSupport
import Testing

@Suite("The bus directory")
struct BusDirectoryTests {
  @Test("a folder that is open to others, a link to one, or a file is refused")
  func refused() async throws {
    let folder = try Folder()
    mkdir("\(folder.path)/open", 0o755)
    chmod("\(folder.path)/open", 0o755)
    mkdir("\(folder.path)/mine", 0o700)
    symlink("\(folder.path)/mine", "\(folder.path)/link")
    try folder.write([], "file")
    for name in ["open", "link", "file"] {
      let kind = await failure { _ = try BusDirectory(path: "\(folder.path)/\(name)") }
      #expect(kind == .permissionDenied, "\(name)")
    }
    _ = try BusDirectory(path: "\(folder.path)/mine")
  }

  @Test("a bus directory with a path longer than a socket's address serves devices and clients")
  func long() async throws {
    let folder = try Folder()
    let name = String(repeating: "x", count: 200)
    let directory = try BusDirectory(path: "\(folder.path)/\(name)")
    let bus = LoopbackBus(directory: directory)
    let echo = Echo()
    let port = try await bus.plug(plain(), handler: echo)
    let client = try await bus.open(port.ready(within: .seconds(1)))
    #expect(try await client.getReport(.feature, nil, timeout: nil).first == 7)
    client.close()
    await port.destroy()
    unlink("\(folder.path)/\(name)/hidsim.counter")
  }

  @Test("device numbers are unique, and leave room for interfaces")
  func numbers() throws {
    let folder = try Folder()
    let numbers = try (0..<500).map { _ in try folder.directory.allocateDeviceID() }
    #expect(Set(numbers).count == 500)
    #expect(numbers.allSatisfy { $0.isOurs && $0.rawValue & 0xff == 0 })
  }

  @Test("device numbers are unique across folders")
  func folders() throws {
    let numbers = try (0..<50).flatMap { _ in
      let folder = try Folder()
      return try (0..<3).map { _ in try folder.directory.allocateDeviceID() }
    }
    #expect(Set(numbers).count == 150)
    #expect(numbers.allSatisfy { $0.isOurs && $0.rawValue & 0xff == 0 })
  }

  @Test("a counter that another process holds is an error, and not waited for")
  func heldCounter() async throws {
    let folder = try Folder()
    let file = try folder.directory.open("hidsim.counter", O_RDWR | O_CREAT).release()
    #expect(flock(file.rawValue, LOCK_EX) == 0)
    #expect(await failure { _ = try folder.directory.allocateDeviceID() } == .unavailable)
    try file.close()
    _ = try folder.directory.allocateDeviceID()
  }

  @Test("a device that takes no more connections is listed, and opening it is a busy error")
  func fullBacklog() async throws {
    let folder = try Folder()
    let what = try plain()
    let entry = try DeviceEntry.publish(what, on: .loopback, in: folder.directory)
    // The owner of the entry accepts no connection, like a stopped process.
    #expect(listen(entry.listener.descriptor.rawValue, 0) == 0)
    let name = DeviceEntry.socketName(of: what.physicalPath.interfaceID, on: .loopback)
    let first = try SocketDescriptor.connected(to: name, in: folder.directory)
    let error = #expect(throws: Errno.self) {
      _ = try SocketDescriptor.connected(to: name, in: folder.directory)
    }
    #expect(error == .wouldBlock)
    var found: HIDDeviceRecord?
    for try await arrival in folder.bus.arrivals() {
      guard case .added(let record) = arrival else { break }
      found = record
    }
    let record = try #require(found)
    #expect(await failure { _ = try await folder.bus.open(record) } == .busy)
    _ = consume first
    entry.withdraw()
  }

  @Test(
    "a client that its acceptor cannot serve ends the accepting, whatever the error is",
    arguments: [.wouldBlock, .interrupted, .connectionAbort, .tooManyOpenFiles] as [Errno])
  func unserved(_ error: Errno) throws {
    let folder = try Folder()
    let listener = try SocketDescriptor.listening(at: "test.socket", in: folder.directory)
    let clients = try (0..<2).map { _ in
      Peer(try SocketDescriptor.connected(to: "test.socket", in: folder.directory))
    }
    var count = 0
    let hasAcceptedAll = listener.acceptClients { socket, _ throws(Errno) in
      _ = consume socket
      count += 1
      throw error
    }
    #expect(!hasAcceptedAll)
    #expect(count == 1, "\(clients.count) clients wait")
  }

  @Test("files that are not hidsim's stay in the folder, whatever their names are")
  func foreignFiles() throws {
    let folder = try Folder()
    let id = "8000000000000100"
    let others = [
      "notes.new", "foo.device", "letter.seize", "run-2024", "run-2024.lock", "run-a-b.lock",
      "\(id).device", "\(id).new", "run-1-1.lock", "loopback-\(id).seize", "kernel-\(id).device",
      "8000000000000200.device", "UPPER.socket",
    ]
    for name in others { try folder.write(Array("a letter to a friend\n".utf8), name) }
    let sockets = ["snapd-session-agent.socket", "agent.socket", "run-2024-x"]
    let listeners = try sockets.map {
      try SocketDescriptor.listening(at: $0, in: folder.directory).descriptor.rawValue
    }
    _ = listeners
    mkdir("\(folder.path)/8000000000000300.socket", 0o700)
    let before = try folder.directory.names()
    // The files are old enough, so they cannot be of a device that is just being published.
    for name in before {
      var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      utimensat(AT_FDCWD, "\(folder.path)/\(name)", &times, AT_SYMLINK_NOFOLLOW)
    }
    #expect(try folder.devices.isEmpty)
    #expect(try folder.directory.names() == before)
  }

  @Test("a counter of another program is an error, and stays as it is")
  func foreignCounter() async throws {
    let folder = try Folder()
    let text = Array("seventeen\n".utf8)
    try folder.write(text, "hidsim.counter")
    #expect(await failure { _ = try folder.directory.allocateDeviceID() } == .unavailable)
    let file = try folder.directory.open("hidsim.counter", O_RDONLY).release()
    var bytes = [UInt8](repeating: 0, count: 64)
    #expect(pread(file.rawValue, &bytes, 64, 0) == text.count && bytes.starts(with: text))
    try file.close()
  }

  @Test("a path that is a link is refused, even with a slash at its end")
  func slashes() async throws {
    let folder = try Folder()
    symlink(folder.path, folder.path + ".link")
    defer { unlink(folder.path + ".link") }
    for path in [folder.path + ".link", folder.path + ".link/", folder.path + ".link//"] {
      #expect(await failure { _ = try BusDirectory(path: path) } == .permissionDenied)
    }
    _ = try BusDirectory(path: folder.path + "/")
  }

  @Test("invalid identity files are not listed, and a valid device still is")
  func hostile() throws {
    let folder = try Folder()
    let entry = try DeviceEntry.publish(plain(), on: .loopback, in: folder.directory)
    var random = SplitMix64(seed: 4)
    let names = (0..<6).map { _ in anyPath().interfaceID.description + ".device" }
    mkdir("\(folder.path)/\(names[0])", 0o700)
    mkfifo("\(folder.path)/\(names[1])", 0o600)
    symlink("/etc/passwd", "\(folder.path)/\(names[2])")
    // These files are locked, so they do not count as left over: a hole of 4 GiB, random bytes, and
    // the valid file of another device.
    try folder.write([], names[3])
    try folder.write((0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }, names[4])
    try folder.write(DeviceIdentityFile.encode(plain()), names[5])
    let held = try names[3...].map { try folder.directory.open($0, O_RDWR).release() }
    for file in held { #expect(flock(file.rawValue, LOCK_EX) == 0) }
    #expect(ftruncate(held[0].rawValue, 1 << 32) == 0)
    #expect(try folder.devices.count == 1)
    for file in held { try file.close() }
    #expect(try folder.devices.count == 1)
    #expect(access("\(folder.path)/\(names[5])", F_OK) != 0)
    // Files without the mark of hidsim may belong to other programs.
    for name in names[3...4] { #expect(access("\(folder.path)/\(name)", F_OK) == 0) }
    entry.withdraw()
  }

  @Test("a second device at a path is refused, and the first one stays reachable")
  func twice() async throws {
    let folder = try Folder()
    let what = try plain()
    let first = try await folder.bus.plug(what, handler: Echo())
    let record = try await first.ready(within: .seconds(1))
    #expect(await failure { _ = try await folder.bus.plug(what, handler: Echo()) } == .busy)
    let client = try await folder.bus.open(record)
    client.close()
    #expect(try folder.devices.count == 1)
    await first.destroy()
    #expect(try folder.devices.isEmpty)
  }

  @Test("a stale file does not block a device, and is removed by two listings at once")
  func stale() async throws {
    let folder = try Folder()
    let what = try plain()
    let name = what.physicalPath.interfaceID.description
    try folder.write(DeviceIdentityFile.encode(what), name + ".device")
    _ = try SocketDescriptor.listening(at: name + ".socket", in: folder.directory)
    let port = try await folder.bus.plug(what, handler: Echo())
    #expect(try folder.devices.count == 1)
    await port.destroy()
    for _ in 0..<50 {
      try folder.write(DeviceIdentityFile.encode(what), name + ".device")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { _ = try? folder.devices } }
      }
      #expect(access("\(folder.path)/\(name).device", F_OK) != 0)
    }
  }

  @Test("an entry that is withdrawn again does not remove the next one at its path")
  func withdrawnTwice() throws {
    let folder = try Folder()
    let what = try plain()
    let first = try DeviceEntry.publish(what, on: .loopback, in: folder.directory)
    first.withdraw()
    let second = try DeviceEntry.publish(what, on: .loopback, in: folder.directory)
    first.withdraw()
    #expect(try folder.devices.count == 1)
    second.withdraw()
  }

  @Test("a device is refused if a file that is not hidsim's has its path, and the file stays")
  func foreignName() async throws {
    let folder = try Folder()
    let what = try plain()
    let name = "\(what.physicalPath.interfaceID).device"
    try folder.write(Array("a letter to a friend".utf8), name)
    let before = try folder.directory.names()
    let error = await failure {
      _ = try DeviceEntry.publish(what, on: .loopback, in: folder.directory)
    }
    #expect(error == .busy)
    #expect(try folder.directory.names() == before)
    let bytes = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    #expect(bytes == "a letter to a friend")
  }

  @Test("the file of a dead client is removed at once, and a file in use is not")
  func deadClient() throws {
    let folder = try Folder()
    let ids = [0x100, 0x200].map { HIDDeviceID(rawValue: 1 << 63 | $0) }
    let held = try SeizeFile(of: ids[0], on: .loopback, in: folder.directory)
    try folder.write([0, 0, 0], "loopback-\(ids[1]).seize")
    #expect(try folder.devices.isEmpty)
    #expect(try folder.directory.names().contains("loopback-\(ids[0]).seize"))
    #expect(try !folder.directory.names().contains("loopback-\(ids[1]).seize"))
    #expect(held.take())
  }

  @Test("the files of an owner that died while it published are removed after a minute")
  func remnants() throws {
    let folder = try Folder()
    let (a, b) = ("8000000000000100", "8000000000000200")
    let drafts = ["\(a).new", "\(b).new", "other"]
    for name in drafts { try folder.write(Array("hidsim de".utf8), name) }
    for name in [a, b] {
      _ = try SocketDescriptor.listening(at: "\(name).socket", in: folder.directory)
    }
    for name in ["\(a).new", "\(a).socket", "other"] {
      var times = [
        timeval(tv_sec: time(nil) - 120, tv_usec: 0), timeval(tv_sec: time(nil) - 120, tv_usec: 0),
      ]
      #expect(utimes("\(folder.path)/\(name)", &times) == 0)
    }
    _ = try folder.devices
    #expect(
      try folder.directory.names()
        == ["\(b).new", "\(b).socket", "other"])
  }

  @Test("a bus directory that was removed refuses devices, and finds none")
  func removed() async throws {
    let folder = try Folder()
    rmdir(folder.path)
    #expect(
      await failure { _ = try await folder.bus.plug(plain(), handler: Echo()) } == .unavailable)
    #expect(try folder.devices.isEmpty)
  }

  @Test("an identity too long to be read is refused")
  func tooLong() async throws {
    let folder = try Folder()
    let what = try plain(name: String(repeating: "x", count: 65_500))
    #expect(
      await failure { _ = try await folder.bus.plug(what, handler: Echo()) } == .invalidArgument)
    #expect(try folder.directory.names().isEmpty)
  }

  @Test("interface 255 of a device is plugged, and interface 256 is refused with the limit")
  func interfaces() async throws {
    let folder = try Folder()
    let id = anyPath().deviceID
    let echo = Echo()
    let last = try await folder.bus.plug(
      plain(HIDPhysicalPath(deviceID: id, interface: 255)), handler: echo)
    #expect(try await last.ready(within: .seconds(1)).id.rawValue == id.rawValue | 255)
    let error = await #expect(throws: HIDBusError.self) {
      _ = try await folder.bus.plug(
        plain(HIDPhysicalPath(deviceID: id, interface: 256)), handler: echo)
    }
    #expect(error?.kind == .invalidArgument)
    #expect(
      error?.message == "plug \"hidsim test\": its interface has the index 256; expected 0 to 255")
    await last.destroy()
  }
}
