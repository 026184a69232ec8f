// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

/// Reads bytes as a text of a format, and ends the run where the reader breaks a promise.
///
/// What is wrong is told with a place in the text. What is read can be looked up in the text, and has the same bytes when
/// it is written in that format and read again.
///
/// - Parameter format: How the text is taken to be written; `nil` to find out.
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
    // Controls in what is quoted would make of one line two.
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

/// Ends the run where bytes that are written and read again are others.
///
/// - Parameter bytes: A descriptor, accepted or not.
/// - Parameter format: How to write it.
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
