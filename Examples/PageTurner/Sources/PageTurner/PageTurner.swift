// SPDX-License-Identifier: Apache-2.0

import HIDPedals

/// The view model of a reader of sheet music: pedals turn the pages of a document.
@MainActor public final class PageTurner {
  /// The number of pages.
  public let pageCount: Int

  /// The page that is shown, from 1.
  public private(set) var page = 1 {
    didSet { if page != oldValue { onChange?(page) } }
  }

  /// Called when ``page`` changes.
  public var onChange: ((Int) -> Void)?

  /// True if pedals are connected; without them the reader shows buttons to turn pages.
  public private(set) var hasPedals = false

  /// True if the reader shows a keyboard on the screen; pedals with a keyboard's report descriptor
  /// do not hide it.
  public private(set) var showsKeyboard = false

  private let monitor = PedalMonitor()
  private var focus: PedalFocus?
  // The property is safe without isolation: `deinit` reads it when there is no other reference to
  // the model.
  private nonisolated(unsafe) var tasks: [Task<Void, Never>] = []

  /// Makes the model for a document.
  ///
  /// - Parameter pageCount: The number of pages of the document.
  public init(pageCount: Int) { self.pageCount = pageCount }

  deinit { for task in tasks { task.cancel() } }

  /// Starts to turn pages when pedals are pressed, and to update the other properties.
  public func open() async {
    let focus = await monitor.takeFocus()
    let (pedals, keyboards) = (await monitor.pedalChanges(), await monitor.keyboardStates())
    self.focus = focus
    follow(focus.events) { $0.turn($1) }
    follow(pedals) { $0.hasPedals = !$1.isEmpty }
    follow(keyboards) { $0.showsKeyboard = $1.shouldShowOnScreenKeyboard }
  }

  /// Begins a search: the user types, and pedals turn no pages.
  public func beginSearch() async { await monitor.beginTextInput() }

  /// Ends a search: pedals turn pages again.
  public func endSearch() async { await monitor.endTextInput() }

  private func follow<Value: Sendable>(
    _ values: AsyncStream<Value>, _ body: @escaping @MainActor (PageTurner, Value) -> Void
  ) {
    tasks.append(
      Task { [weak self] in
        for await value in values {
          guard let self else { return }
          body(self, value)
        }
      })
  }

  private func turn(_ event: PedalEvent) {
    guard case .press = event.kind else { return }
    switch event.port {
    case 1: page = max(page - 1, 1)
    case 3: page = min(page + 1, pageCount)
    default: break
    }
  }
}
