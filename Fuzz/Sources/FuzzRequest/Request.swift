// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// Checks that the server of the page reads the same requests however their bytes are cut.
///
/// HIDBench is no product, so this target compiles the file of the reader itself.
@c(LLVMFuzzerTestOneInput)
public func request(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let whole = results(bytes) { bytes.count }
  var cuts = FuzzMaterial(bytes)
  expect(results(bytes) { Int(cuts.byte() % 7) + 1 } == whole, "cut, they are other requests")
  for case .success(let request) in whole {
    expect(request.path.first == "/", "the path is \(request.path)")
    expect(request.body.count <= bodyLimit, "a body of \(request.body.count) bytes")
    expect(request.headers.keys.allSatisfy { $0 == $0.lowercased() }, "\(request.headers)")
    expect(request.headers["transfer-encoding"] == nil, "a body with Transfer-Encoding")
  }
  for case .failure(let refusal) in whole {
    expect((400...599).contains(refusal.status), "status \(refusal.status)")
    expect(!refusal.message.contains { $0.isNewline }, "the message has two lines")
  }
  return 0
}

/// A limit that the inputs of the fuzzer reach.
private let bodyLimit = 64

/// Returns the requests of a connection, and the refusal that ends it.
///
/// - Parameters:
///   - bytes: All bytes of the connection.
///   - part: Returns the number of bytes that arrive next, 1 or more.
private func results(
  _ bytes: [UInt8], _ part: () -> Int
) -> [Result<HTTPRequest, HTTPRefusal>] {
  var reader = HTTPRequestReader()
  var results: [Result<HTTPRequest, HTTPRefusal>] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = part()
    reader.append(rest.prefix(count))
    rest = rest.dropFirst(count)
    do throws(HTTPRefusal) {
      while let request = try reader.next({ _ in bodyLimit }) { results.append(.success(request)) }
    } catch {
      results.append(.failure(error))
    }
  }
  expect(results.count <= bytes.count / 16 + 1, "\(results.count) requests of \(bytes.count) bytes")
  return results
}
