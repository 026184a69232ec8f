// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus

/// The option that selects the losses of slow clients on the loopback bus.
struct FidelityOption: ParsableArguments {
  /// The names of the choices.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case lossless
    case kernel

    var fidelity: LoopbackBus.Fidelity {
      switch self {
      case .lossless: .lossless
      case .kernel: .kernel
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "What happens to reports for slow clients on the loopback bus. (default: lossless)",
      discussion: """
        lossless: the device waits for slow clients. kernel: a client that has 63 unread reports loses the newest, \
        without an error, as on the kernel bus; the last line counts the losses.
        """))
  private var fidelity: Name?

  /// Makes the rule that refuses `--fidelity` together with `--bus kernel` or `--bus usb`.
  ///
  /// If the environment or the automatic choice selects the kernel bus, `--fidelity` has no effect
  /// and is not refused: see ``note(for:)``.
  func isExcluded(by busOptions: BusOptions) -> OptionRule {
    .excludes(
      "--bus \(busOptions.bus?.rawValue ?? "kernel")", busOptions.bus?.usesKernel == true,
      ["--fidelity": isGiven], because: Self.reason)
  }

  /// Returns the note that a bus ignores `--fidelity`; nil if it does not, or without the option.
  func note(for bus: HIDBusKind) -> String? {
    isGiven && bus.usesKernel
      ? "--fidelity has no effect on the \(bus) bus: \(Self.reason)" : nil
  }

  private static let reason = "the kernel decides what slow clients lose"

  /// True if the option was given.
  var isGiven: Bool { fidelity != nil }
  /// The selected losses of slow clients.
  var choice: Name { fidelity ?? .lossless }
}
