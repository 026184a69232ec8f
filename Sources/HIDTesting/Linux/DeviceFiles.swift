// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import FoundationEssentials
  import HIDSimulator
  import HIDTraces

  /// The device files that tests name.
  enum DeviceFiles {
    /// Returns the devices of a file: one of a device file, all of a trace.
    ///
    /// - Parameters:
    ///   - name: A path relative to the folder of the test's source, or the name of a file that
    ///     comes with hidsim.
    ///   - source: The path of the test's source.
    /// - Throws: An error if there is no such file, or if the file is not valid or cannot be read.
    static func devices(
      named name: String, besides source: String
    ) throws(HIDTestingError) -> [HIDDeviceDefinition] {
      let folder = URL(filePath: source).deletingLastPathComponent()
      var places = [name.hasPrefix("/") ? name : folder.appending(path: name).path]
      if !name.contains("/") {
        places += (HIDDeviceLibrary.folders + [checkedOut]).map { "\($0)/\(name)" }
      }
      for place in places {
        guard let data = FileManager.default.contents(atPath: place) else { continue }
        return try devices(in: Array(data), path: place)
      }
      throw .noSuchFile(name, lookedFor: places)
    }

    /// The folder with the device files of the checkout of hidsim in which this code was built.
    ///
    /// A test program of another package has no device files beside it.
    private static var checkedOut: String {
      var checkout = URL(filePath: #filePath)
      for _ in 0..<4 { checkout = checkout.deletingLastPathComponent() }
      return checkout.appending(path: "Descriptors").path
    }

    /// Returns the devices of a trace; nil for any other file.
    private static func recorded(
      _ bytes: [UInt8], path: String
    ) throws(HIDTraceError) -> [HIDTraceDevice]? {
      guard case .trace(let format) = HIDInputFormat.detect(bytes) else { return nil }
      let options = HIDTraceReadingOptions(format: format, canGiveDescriptors: false) { end in
        let sibling = URL(filePath: path).deletingPathExtension().path + end
        return FileManager.default.contents(atPath: sibling).map { Array($0) }
      }
      var reader = try HIDTraceReader(
        HIDTraceSource(name: path, bytes: bytes), options: options)
      // So far, the reader has read only the headers of hid-recorder's text, but all other formats
      // to their end.
      if format == .recorder { while try reader.next() != nil {} }
      return reader.devices
    }

    private static func devices(
      in bytes: [UInt8], path: String
    ) throws(HIDTestingError) -> [HIDDeviceDefinition] {
      do {
        if let recorded = try recorded(bytes, path: path) {
          return try HIDDeviceDefinition.devices(of: recorded, name: path)
        }
        let folder = URL(filePath: path).deletingLastPathComponent()
        return [
          try HIDDeviceFile.parse(bytes, name: path) { relative in
            Array(try Data(contentsOf: folder.appending(path: relative)))
          }
        ]
      } catch {
        throw .wrongFile("\(error)")
      }
    }
  }
#endif
