// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

extension EndToEndTests {
  @Suite(
    "kernel events of traces",
    .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  struct TraceOracleTests {
    @Test("every trace makes the events that the corpus has for it")
    func events() async throws {
      let traces = try OracleTrace.all()
      #expect(traces.count >= 282)
      for trace in traces {
        let difference = try await trace.difference()
        #expect(difference == nil, "\(trace.trace)")
      }
    }
  }
}
