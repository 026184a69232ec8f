// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDTraces
import HIDBus
import SystemPackage

/// A failure that is printed on standard error, and that ends the program.
///
/// Its status is 1 or one of `sysexits.h`.
struct Failure: Error, CustomStringConvertible {
  /// The exit status of the program.
  enum Status: Int32 {
    case failed = 1
    case wrongArguments = 64
    case wrongData = 65
    case noInput = 66
    case unavailable = 69
    case noResources = 71
    case outputFailed = 74
    case noPermission = 77

    /// Makes the status of a failed call: `noResources` if the system lacked a resource, else
    /// `other`.
    init(_ error: Errno, otherwise other: Status) {
      self = Self.wants.contains(error) ? .noResources : other
    }

    private static let wants: Set<Errno> = [
      .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace, .diskQuotaExceeded,
    ]
  }

  let status: Status
  let description: String

  init(_ status: Status, _ description: String) {
    self.status = status
    self.description = description
  }

  init(_ error: HIDBusError) {
    let status: Status =
      switch error.kind {
      case .unavailable, .permissionDenied: .noPermission
      case .invalidArgument, .protocolViolation: .wrongData
      case .limitReached: .noResources
      default: .failed
      }
    self.init(Status(Errno(rawValue: error.errorNumber), otherwise: status), error.message)
  }

  /// Makes the failure for an error of a known type; returns `nil` for any other error, such as an
  /// exit status or a cancellation.
  init?(any error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as HIDBusError: self.init(error)
    case let error as Errno: self.init(Status(error, otherwise: .failed), "\(error)")
    case let error as HIDReportDescriptorError:
      self.init(.wrongData, "the report descriptor is not valid: \(error)")
    case let error as HIDTraceError: self.init(.wrongData, error.description)
    case let error as HIDTraceExclusion.Failure:
      self.init(.wrongArguments, error.description)
    case let error as ValidationError: self.init(.wrongArguments, error.message)
    default: return nil
    }
  }
}

extension Failure {
  /// Makes the failure for an output file that exists, without `--force`.
  static func exists(_ path: String) -> Failure {
    Failure(.wrongArguments, "\(path): the file exists; add --force to overwrite it")
  }

  /// Makes the failure for a file that cannot be written.
  static func unwritable(_ path: String, _ error: any Error) -> Failure {
    Failure(.outputFailed, "\(path): cannot be written: \(error)")
  }
}

/// Runs the body of a command.
///
/// Prints a failure on standard error, and throws its exit status. Errors for which there is no
/// ``Failure`` are thrown unchanged. A cancellation is dropped if standard output cannot be written
/// to.
func reporting(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch {
    // Work that was cancelled because standard output cannot be written to has not failed itself.
    // `Output.finish(_:)` determines the exit status.
    if Output.shared.hasEndedWork, error is CancellationError { return }
    guard let failure = Failure(any: error) else { throw error }
    Output.shared.complain(failure.description)
    throw ExitCode(failure.status.rawValue)
  }
}
