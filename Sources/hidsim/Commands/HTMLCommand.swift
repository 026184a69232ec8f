// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTimeline

struct HTMLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "html", abstract: "Write a report in HTML from data in JSON.",
    usage: "hidsim html <data> <out> [<options>]",
    discussion: """
      For test runners in other languages: hidsim test --html writes such a report of its own tests, and pytest of its \
      tests with --hidsim-html. The page "Reports in HTML" lists the keys of the data. Events have the keys of \
      hidsim drive's events.

        hidsim html results.json report.html
        ./my-runner | hidsim html - report.html

      """)

  @Argument(
    help: ArgumentHelp("The data, or - for standard input.", valueName: "data"),
    completion: Completion.files)
  var data: String
  @Argument(
    help: ArgumentHelp("The file to write, or - for standard output.", valueName: "out"),
    completion: Completion.files)
  var output: String
  @Flag(help: "Overwrite the output.") var force = false

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--force", force, ["- as the output": output == "-"],
        because: "--force overwrites a file, and - is standard output"))
  }

  func run() async throws {
    try await reporting {
      let bytes = try await bytes()
      let name = data == "-" ? "standard input" : data
      let json: [UInt8]
      do {
        json = try HTMLReport.data(from: bytes, name: name)
      } catch {
        throw Failure(.wrongData, HTMLReport.words(of: error, name: name))
      }
      let html = HTMLReport.html(of: json)
      guard output != "-" else { return Output.shared.write(html) }
      try CommandFiles.shared.claim([.init("the output", output)], hasLines: false)
      var written = try OutputFile(output, replaces: force)
      try written.write(html)
      try written.finish()
    }
  }

  /// Reads the data.
  private func bytes() async throws -> [UInt8] {
    guard data == "-" else {
      guard let file = try InputFiles.readIfThere(data, .report, allowsPipe: true) else {
        throw Failure(.noInput, "\(data): there is no such file")
      }
      return file.bytes
    }
    var bytes: [UInt8] = []
    for await chunk in try StandardInput.chunks() {
      bytes += chunk
      guard bytes.count <= InputFiles.Kind.report.longest else {
        throw Failure(
          .wrongData,
          "standard input: the limit of \(InputFiles.Kind.report.rawValue) is "
            + "\(InputFiles.Kind.report.longest) bytes")
      }
    }
    return bytes
  }
}
