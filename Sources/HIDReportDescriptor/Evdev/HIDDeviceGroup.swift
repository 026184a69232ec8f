// SPDX-License-Identifier: Apache-2.0

/// The group in which Linux puts a device before it chooses a driver.
///
/// Vendors with their own drivers (Wacom, Synaptics, Logitech…) have more groups. A report
/// descriptor does not show these groups.
///
/// Source: Linux 6.12, `hid_scan_report` in `drivers/hid/hid-core.c`.
public enum HIDDeviceGroup: UInt16, CaseIterable, Sendable {
  /// No special group.
  case generic = 0x0001
  /// Touch surfaces: an input report has a contact identifier.
  case multitouch = 0x0002
  /// Sensors: there is a physical or application collection of the sensors page.
  case sensorHub = 0x0003
  /// Touch surfaces certified for Windows 8 or later, as a feature report declares.
  case windowsMultitouch = 0x0004
  /// Keyboards with Google's vendor collection.
  case vivaldi = 0x0105
}

extension HIDReportDescriptor {
  /// The group in which Linux puts the device; O(bytes).
  ///
  /// If several groups fit, the last collection or field in the descriptor that fits one decides.
  public var group: HIDDeviceGroup {
    var latest: (offset: Int, group: HIDDeviceGroup) = (-1, .generic)
    for collection in collectionPages() {
      if collection.page == Self.sensorsPage,
        collection.kind == .physical || collection.kind == .application
      {
        latest = (collection.offset, .sensorHub)
      }
      if collection.page == Self.googlePage, collection.isGoogleKeyboard {
        latest = (collection.offset, .vivaldi)
      }
    }
    var isCertified = false
    for report in reports {
      for field in report.fields {
        switch report.type {
        case .input where !field.isConstant && field.offset > latest.offset:
          if field.usages.firstIndex(of: HIDUsage(extended: EvdevUsage.contactID)) != nil {
            latest = (field.offset, .multitouch)
          }
        case .feature where field.bitSize == 8 && !isCertified:
          isCertified =
            field.count == 256
            && field.usages.firstIndex(of: HIDUsage(extended: 0xff00_00c5)) != nil
            || field.count == 1
              && field.usages.firstIndex(of: HIDUsage(extended: 0xff00_00c6)) != nil
        default: break
        }
      }
    }
    return latest.group == .multitouch && isCertified ? .windowsMultitouch : latest.group
  }

  private static let sensorsPage: UInt16 = 0x0020
  private static let googlePage: UInt16 = 0xffd1

  /// Returns the Usage Page in force at each Collection item.
  ///
  /// Linux uses this page even if the collection's usage is of another page.
  private func collectionPages() -> [(
    offset: Int, page: UInt16, kind: HIDCollection.Kind, isGoogleKeyboard: Bool
  )] {
    var page: UInt16 = 0
    var saved: [UInt16] = []
    var next = 0
    var pages: [(offset: Int, page: UInt16, kind: HIDCollection.Kind, isGoogleKeyboard: Bool)] = []
    for item in items {
      switch item.tag {
      case .usagePage: page = UInt16(truncatingIfNeeded: item.data)
      case .push: saved.append(page)
      case .pop: page = saved.popLast() ?? page
      case .collection where next < collections.count:
        let collection = collections[next]
        next += 1
        let isGoogleKeyboard =
          collection.usages.firstIndex(of: HIDUsage(extended: 0xffd1_0001)) != nil
        pages.append((collection.offset, page, collection.kind, isGoogleKeyboard))
      default: break
      }
    }
    return pages
  }
}
