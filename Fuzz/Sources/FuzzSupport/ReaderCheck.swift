// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

/// Reads bytes as a text of a format, and ends the run if the reader breaks a promise.
///
/// A mistake must have a location in the text. Bytes that were read must have locations in the
/// text, and must be the same after they are written in that format and read again. Four
/// descriptors at most are checked, and four locations of each. In the binary format, only the
/// number of descriptors and their lengths are checked.
///
/// - Parameter format: The format of the text; `nil` to detect it.
/// - Parameter bytes: The text.
public func checkReader(_ format: HIDDescriptorFormat?, _ bytes: [UInt8]) {
  let lineCount = bytes.count { $0 == 0x0a || $0 == 0x0d } + 1
  func isInside(_ location: HIDTextLocation) -> Bool {
    (1...lineCount).contains(location.line) && (1...bytes.count + 1).contains(location.column)
  }
  let texts: [HIDDescriptorText]
  do { texts = try HIDDescriptorText.read(bytes, name: "fuzz", format: format) } catch {
    expect(isInside(error.location), "a fault outside the text: \(error)")
    expect(!error.message.isEmpty && error.help != "", "a fault without words")
    // Control characters in a quoted text would split the line in two.
    expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(error) in lines")
    return
  }
  expect(!texts.isEmpty, "nothing was read")
  expect(texts.count <= HIDDescriptorText.maximumDescriptorCount, "too many descriptors")
  for text in texts.prefix(4) {
    let count = text.bytes.count
    expect(count <= HIDDescriptorText.maximumDescriptorByteCount, "\(count) bytes")
    if text.format == .binary { continue }
    for offset in [0, count / 3, count / 2, count - 1] where text.bytes.indices.contains(offset) {
      guard let location = text.location(ofByte: offset) else {
        expect(false, "byte \(offset) stood nowhere")
        return
      }
      expect(isInside(location), "byte \(offset) stood outside the text, at \(location)")
    }
    checkWriting(text.bytes, as: text.format)
  }
}

/// Ends the run if bytes differ after they are written and read again; ignores an empty array.
///
/// - Parameter bytes: A report descriptor, accepted or not.
/// - Parameter format: The format in which to write it.
public func checkWriting(_ bytes: [UInt8], as format: HIDDescriptorFormat) {
  guard !bytes.isEmpty else { return }
  let written = HIDDescriptorText.write(bytes, as: format, name: "fuzz")
  do {
    let texts = try HIDDescriptorText.read(written, name: "fuzz", format: format)
    expect(texts.map(\.bytes) == [bytes], "written as \(format) and read again it differs")
  } catch {
    expect(false, "what was written as \(format) is not read: \(error)")
  }
}
