// SPDX-License-Identifier: Apache-2.0

import Testing

/// The built `hidsim` as a user runs it: two processes and a bus between them.
///
/// The tests run one at a time, since all of them share the machine's one kernel bus.
@Suite("End to end", .serialized, .timeLimit(.minutes(1)))
enum EndToEndTests {}
