// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBench
import HIDBus
import HIDSessions
import HIDSimulator
import Subprocess

/// The page that shows the devices of a run in a browser.
struct BenchPage: Sendable {
  /// The port of 127.0.0.1; 0 for any free port.
  var port: UInt16 = 0
  /// True to refuse commands, and reports to devices that are not simulated.
  var isReadOnly = false
  /// True to open the page in the browser of the user.
  var isOpened = false
  /// The names of the devices' files, in the order of the devices; empty if they are not known.
  var files: [String] = []
  /// Prints the line with the link.
  var announce: @Sendable (String) -> Void = { Output.shared.note($0) }

  /// Returns the names of the files if each has one device; otherwise none, since it is not known
  /// which device is of which file.
  static func names(of files: [String], for definitions: [HIDDeviceDefinition]) -> [String] {
    files.count == definitions.count ? files : []
  }

  /// Starts the server, and prints its link; opens the link if ``isOpened`` is true.
  ///
  /// - Returns: The task of the server, which ends when it is cancelled.
  /// - Throws: A failure with status 64 if the server cannot be started, as when another program
  ///   uses the port.
  func serve(_ hub: DeviceHub) throws -> Task<Void, Never> {
    var options = BenchServer.Options(
      readFile: InputFiles.devices(named:), library: { InputFiles.library().map(\.name) })
    options.port = port
    options.isReadOnly = isReadOnly
    options.files = files
    let server: BenchServer
    do throws(HIDBusError) {
      server = try BenchServer(hub, options)
    } catch {
      throw Failure(.wrongArguments, port == 0 ? error.message : "--port \(port): \(error.message)")
    }
    announce("the bench is at \(server.link)")
    let link = server.link
    return Task { [isOpened] in
      async let serving: Void = server.run()
      if isOpened { await Self.open(link) }
      await serving
    }
  }

  /// Opens a link in the browser of the user; prints a note if that fails.
  private static func open(_ link: String) async {
    let result = try? await Subprocess.run(
      .name("xdg-open"), arguments: [link], output: .discarded, error: .discarded)
    if result?.terminationStatus.isSuccess != true {
      Output.shared.note("hidsim: --open: xdg-open could not open the link; open it in a browser")
    }
  }
}
