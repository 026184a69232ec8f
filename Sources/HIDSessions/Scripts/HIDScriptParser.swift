// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText

/// The parser of one script and of the files that it includes, line by line.
struct HIDScriptParser {
  /// A block whose `end` has not been read yet.
  private struct Block {
    let count: Int
    let location: HIDTextLocation
    var statements: [HIDScript.Statement] = []
  }

  /// The file and the location of a `hold`, which must be the last command.
  private struct Hold {
    let file: String
    let location: HIDTextLocation
  }

  static let maximumProblemCount = 20
  private static let maximumDepth = 16
  private static let maximumTurns = 1_000_000
  private static let maximumDeviceFileCount = 256

  private(set) var problems: [HIDTextProblem] = []
  private(set) var statements: [HIDScript.Statement] = []
  private(set) var deviceFiles: [HIDScript.DeviceFile] = []
  private(set) var program: HIDScript.Program?
  private var hold: Hold?
  private(set) var variables: HIDScriptVariables
  var holdsAtEnd: Bool { hold != nil }

  private let load: HIDScript.Loader?
  /// The files that are being read, the script itself first.
  private var files: [String] = []
  private var byteCount = 0
  private var blocks: [Block] = []
  /// The number of open blocks that began in the including files.
  private var outerBlockCount = 0
  private var target: HIDScript.Name?  // the choice of the latest `device NAME`
  private var line = 0
  private var file: String { files.last ?? "" }

  init(variables: HIDScriptVariables, load: HIDScript.Loader?) {
    self.variables = variables
    self.load = load
  }

  /// Reads a file line by line, until its end or until the limit on problems is reached.
  ///
  /// - Throws: A problem if the script is too long with the files that it includes.
  mutating func read(
    _ bytes: [UInt8], name: String, by includer: HIDTextLocation = .start
  ) throws(HIDTextProblem) {
    byteCount += bytes.count
    guard byteCount <= HIDScript.maximumByteCount else {
      throw HIDTextProblem(
        file: files.last ?? name, location: includer,
        message:
          "the script is \(byteCount) bytes long"
          + "\(files.isEmpty ? "" : " with the files it includes"), "
          + "and the limit is \(HIDScript.maximumByteCount)")
    }
    let (outerLine, outerDepth) = (line, outerBlockCount)
    files.append(name)
    line = 0
    outerBlockCount = blocks.count
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      read(line.last == 0x0D ? line.dropLast() : line)
      if problems.count >= Self.maximumProblemCount { break }
    }
    if blocks.count > outerBlockCount, let block = blocks.last,
      problems.count < Self.maximumProblemCount
    {
      report(
        "this \"repeat\" has no \"end\"", at: block.location, help: "write end after the block")
    }
    files.removeLast()
    blocks.removeSubrange(outerBlockCount...)
    (line, outerBlockCount) = (outerLine, outerDepth)
  }

  private mutating func report(
    _ message: String, at location: HIDTextLocation, help: String? = nil
  ) {
    problems.append(HIDTextProblem(file: file, location: location, message: message, help: help))
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>) {
    line += 1
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let repaired = String(decoding: bytes, as: UTF8.self).unicodeScalars
      let column = (repaired.firstIndex(of: "\u{FFFD}")).map {
        repaired.distance(from: repaired.startIndex, to: $0) + 1
      }
      return report(
        "the text is not UTF-8", at: HIDTextLocation(line: line, column: column ?? 1),
        help: "save the file as UTF-8")
    }
    var lexer = HIDScriptLexer(text, line: line, file: file)
    var isOver = false
    // The limit on problems holds within a line too. Otherwise files that include one another
    // several times from one line, after a mistake, would be read again and again.
    while !isOver, problems.count < Self.maximumProblemCount {
      // Tokens are read one command at a time, because the previous command can set a variable.
      var tokens: [HIDScriptToken] = []
      do throws(HIDTextProblem) {
        while true {
          let token = try lexer.next(&variables)
          isOver = token == nil
          guard let token, token.kind != .semicolon else { break }
          tokens.append(token)
        }
      } catch {
        problems.append(error)
        return
      }
      do throws(HIDTextProblem) {
        try readStatement(tokens[...], lexer)
      } catch {
        problems.append(error)
      }
    }
  }

  private mutating func readStatement(
    _ tokens: ArraySlice<HIDScriptToken>, _ lexer: HIDScriptLexer
  ) throws(HIDTextProblem) {
    guard let first = tokens.first, let last = tokens.last else { return }
    var words = HIDScriptWords(tokens, file: file, end: last.end)
    var target = target
    if let hold {
      let line = hold.location.line
      let place = hold.file == file ? "in line \(line)" : "at \(hold.file):\(line)"
      throw words.problem(
        "a command follows the \"hold\" \(place)", at: first.location,
        help: "write \"hold\" as the last command of the script")
    }
    if first.kind == .word, first.text.hasPrefix("@") {
      _ = try words.next("a device")
      target = HIDScript.Name(text: String(first.text.dropFirst()), location: first.location)
      if first.text == "@" {
        throw words.problem(
          "expected a name after \"@\", found nothing", at: first.location,
          help: "such as @mouse move 10 -5")
      }
    }
    let word = try words.next("a command")
    guard word.kind == .word else {
      throw words.problem(
        "expected a command, found the string \(word.found)", at: word.location,
        help: "write commands without quotes")
    }
    if try readDirective(word, &words) { return }
    let command = try HIDScriptCommandParser.parse(word, &words)
    try words.finish()
    append(
      HIDScript.Statement(
        command: command, location: word.location, file: file,
        text: lexer.text(from: first.location, to: last.end), target: target))
  }

  private mutating func append(_ statement: HIDScript.Statement) {
    if let last = blocks.indices.last {
      blocks[last].statements.append(statement)
    } else {
      statements.append(statement)
    }
  }
}

/// The commands about the script itself.
extension HIDScriptParser {
  /// The first words of these commands.
  ///
  /// The other commands are in ``HIDScriptCommandParser/commands``.
  static let directives = [
    "needs", "program", "device", "test", "let", "include", "repeat", "end", "hold",
  ]

  /// Carries out a command about the script itself.
  ///
  /// - Returns: True if the word begins a command about the script itself.
  private mutating func readDirective(
    _ word: HIDScriptToken, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> Bool {
    switch word.text {
    case "needs": try readNeeds(word, &words)
    case "program": try readProgram(word, &words)
    case "device":
      target = try words.name("the name of a device or interface")
      try words.finish()
    case "test":
      let name = try words.name("the name of the test", help: "such as test \"the lamps follow\"")
      try words.finish()
      guard blocks.isEmpty else {
        throw words.problem(
          "a test cannot begin in a block", at: word.location,
          help: "write test before repeat")
      }
      append(
        HIDScript.Statement(
          command: .test(name.text), location: word.location, file: file,
          text: "test \(quoted(name.text))", target: nil))
    case "let": try readLet(&words)
    case "include": try include(&words)
    case "repeat": try beginBlock(word, &words)
    case "end":
      try words.finish()
      guard blocks.count > outerBlockCount, let block = blocks.popLast() else {
        throw words.problem(
          "there is no block to end", at: word.location, help: "\"repeat 10\" begins one")
      }
      guard !block.statements.isEmpty else { break }
      append(
        HIDScript.Statement(
          command: .repeated(block.count, block.statements), location: block.location, file: file,
          text: "repeat \(block.count)", target: nil))
    case "hold":
      try words.finish()
      guard blocks.isEmpty else {
        throw words.problem(
          "\"hold\" is not allowed in a block", at: word.location,
          help: "write \"hold\" as the last command of the script")
      }
      hold = Hold(file: file, location: word.location)
    default: return false
    }
    return true
  }

  /// Throws a problem if the word follows a command, or the beginning of a test or block.
  private func checkIsAtTop(
    _ word: HIDScriptToken, _ words: HIDScriptWords, because reason: String
  ) throws(HIDTextProblem) {
    guard blocks.isEmpty, statements.isEmpty else {
      throw words.problem(
        "\"\(word.text)\" follows a command", at: word.location,
        help: "\(reason): move the line to the top")
    }
  }

  private mutating func readProgram(
    _ word: HIDScriptToken, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) {
    try checkIsAtTop(word, words, because: "hidsim starts the program before the first command")
    if let program {
      throw words.problem(
        "the script names a second program; the first is at \(program.file):\(program.location)",
        at: word.location, help: "start the second program from the first")
    }
    var found: [String] = []
    let first = try words.name("a program", help: "such as program ./app --device 1209:0001")
    found.append(first.text)
    while words.peek != nil { found.append(try words.next("an argument").text) }
    guard !found.contains(where: { $0.contains("\0") }) else {
      throw words.problem(
        "a word of the program contains a zero byte", at: first.location, help: "remove it")
    }
    program = HIDScript.Program(words: found, file: file, location: word.location)
  }

  private mutating func readNeeds(
    _ word: HIDScriptToken, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) {
    try checkIsAtTop(word, words, because: "hidsim plugs devices before the first command")
    repeat {
      let name = try words.name("a device file", help: "such as needs keyboard.json")
      guard !name.text.contains("\0") else {
        throw words.problem(
          "the name of the device file contains a zero byte", at: name.location,
          help: "remove it")
      }
      guard deviceFiles.count < Self.maximumDeviceFileCount else {
        throw words.problem(
          "the script needs more than \(Self.maximumDeviceFileCount) device files",
          at: name.location)
      }
      deviceFiles.append(
        HIDScript.DeviceFile(name: name.text, file: file, location: name.location))
    } while words.peek != nil
  }

  private mutating func readLet(_ words: inout HIDScriptWords) throws(HIDTextProblem) {
    let name = try words.name("the name of a variable")
    guard HIDScriptVariables.isName(name.text) else {
      throw words.problem(
        "\(quoted(name.text)) cannot be the name of a variable", at: name.location,
        help: "use up to 64 letters, digits and _, with a letter first")
    }
    let value = try words.next("the value", help: "such as let speed 50%, or let text \"Hello\"")
    guard value.text.utf8.count <= HIDScriptVariables.longestValue else {
      throw words.problem(
        "the value is longer than \(HIDScriptVariables.longestValue) bytes", at: value.location)
    }
    if let more = words.peek {
      throw words.problem(
        "expected the end of the command, found \(more.found)", at: more.location,
        help: "write a value with spaces in double quotes")
    }
    variables.set(name.text, to: value.text)
  }

  private mutating func beginBlock(
    _ word: HIDScriptToken, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) {
    // The block begins even if the command is wrong, so that its `end` is not a second problem.
    var count = 0
    defer { blocks.append(Block(count: count, location: word.location)) }
    let place = words.peek?.location
    count = try words.integer("the number of repetitions", help: "such as repeat 10")
    guard (0...Self.maximumTurns).contains(count) else {
      throw words.problem(
        "the number of repetitions is \(count); expected 0 to \(Self.maximumTurns)",
        at: place ?? word.location)
    }
    try words.finish()
    guard blocks.count < Self.maximumDepth else {
      throw words.problem(
        "blocks are nested deeper than \(Self.maximumDepth)", at: word.location)
    }
  }

  private mutating func include(_ words: inout HIDScriptWords) throws(HIDTextProblem) {
    let path = try words.name("the file to include")
    try words.finish()
    let parts = path.text.split(separator: "/", omittingEmptySubsequences: true)
    guard !path.text.hasPrefix("/"), !parts.contains(".."), !path.text.contains("\0") else {
      throw words.problem(
        "the path \(quoted(path.text)) leaves the script's folder", at: path.location,
        help: "put the file beside the script")
    }
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let name = folder + parts.filter { $0 != "." }.joined(separator: "/")
    if let first = files.firstIndex(of: name) {
      let chain = (files[first...] + [name]).joined(separator: " includes ")
      throw words.problem("the script includes itself: \(chain)", at: path.location)
    }
    guard files.count < Self.maximumDepth else {
      throw words.problem(
        "included files are nested deeper than \(Self.maximumDepth)", at: path.location)
    }
    guard let load else {
      throw words.problem(
        "include is not allowed here", at: path.location,
        help: "write the commands of \(quoted(path.text)) here instead")
    }
    let bytes: [UInt8]
    do {
      bytes = try load(name)
    } catch {
      throw words.problem("cannot read \(quoted(path.text)): \(error)", at: path.location)
    }
    try read(bytes, name: name, by: path.location)
  }
}
