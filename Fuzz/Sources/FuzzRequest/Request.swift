// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// Checks that the server of the page reads the same requests however their bytes are cut.
///
/// HIDBench is no product, so this target compiles the file of the reader itself.
@c(LLVMFuzzerTestOneInput)
public func request(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let whole = results([bytes[...]])
  expect(results(fuzzPieces(bytes)) == whole, "cut, they are other requests")
  expect(whole.count <= bytes.count / 16 + 1, "\(whole.count) requests of \(bytes.count) bytes")
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

/// Returns the requests of a connection whose bytes arrive in pieces, and the refusal that ends it.
private func results(_ pieces: [ArraySlice<UInt8>]) -> [Result<HTTPRequest, HTTPRefusal>] {
  var reader = HTTPRequestReader()
  var results: [Result<HTTPRequest, HTTPRefusal>] = []
  for piece in pieces {
    reader.append(piece)
    do throws(HTTPRefusal) {
      while let request = try reader.next({ _ in bodyLimit }) { results.append(.success(request)) }
    } catch {
      results.append(.failure(error))
    }
  }
  return results
}
