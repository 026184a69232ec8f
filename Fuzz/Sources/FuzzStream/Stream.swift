// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces

/// Checks that a stream gives the same values however it is cut.
///
/// Each value must be read or refused as a command.
@c(LLVMFuzzerTestOneInput)
public func stream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let whole = frames([bytes[...]])
  expect(frames(fuzzPieces(bytes)) == whole, "cut, it is another stream")
  expect(whole.count <= 2 * bytes.count + 1, "\(whole.count) values of \(bytes.count) bytes")
  for case .value(let node) in whole {
    do throws(StreamCommandError) {
      _ = try StreamCommandReader.read(node, file: "s")
    } catch {
      expect((1...20).contains(error.problems.count), "\(error.problems.count) problems")
    }
    do throws(HIDTraceError) {
      _ = try AndroidCommandReader.read(node, file: "s")
    } catch {
      expect((1...20).contains(error.problems.count), "\(error.problems.count) problems")
    }
  }
  return 0
}

/// Returns the values of a stream that comes in pieces.
private func frames(_ pieces: [ArraySlice<UInt8>]) -> [StreamFramer.Frame] {
  var framer = StreamFramer(file: "s")
  var frames: [StreamFramer.Frame] = []
  for piece in pieces {
    framer.append(piece)
    while let frame = framer.next() { frames.append(frame) }
  }
  framer.finish()
  while let frame = framer.next() { frames.append(frame) }
  return frames
}
