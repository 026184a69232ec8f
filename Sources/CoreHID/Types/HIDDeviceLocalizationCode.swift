// SPDX-License-Identifier: Apache-2.0

/// The country or language that a device's legends are for.
///
/// Source: HID 1.11, section 6.2.1, `bCountryCode`.
public enum HIDDeviceLocalizationCode: Equatable, Hashable, Sendable {
  /// Not localised, or not stated: code 0.
  case unsupported
  /// Arabic: code 1.
  case arabic
  /// Belgium: code 2.
  case belgium
  /// Canadian bilingual: code 3.
  case canada
  /// Canadian French: code 4.
  case canadaFrench
  /// Czechia: code 5.
  case czechia
  /// Denmark: code 6.
  case denmark
  /// Finland: code 7.
  case finland
  /// France: code 8.
  case france
  /// Germany: code 9.
  case germany
  /// Greece: code 10.
  case greece
  /// Hebrew: code 11.
  case hebrew
  /// Hungary: code 12.
  case hungary
  /// International, with the ISO layout: code 13.
  case unitedStatesISO
  /// Italy: code 14.
  case italy
  /// Japanese (Katakana): code 15.
  case japan
  /// Korean: code 16.
  case korea
  /// Latin American: code 17.
  case latinAmerica
  /// Netherlands: code 18.
  case netherlands
  /// Norway: code 19.
  case norway
  /// Persian (Farsi): code 20.
  case persian
  /// Poland: code 21.
  case poland
  /// Portugal: code 22.
  case portugal
  /// Russia: code 23.
  case russia
  /// Slovakia: code 24.
  case slovakia
  /// Spain: code 25.
  case spain
  /// Sweden: code 26.
  case sweden
  /// Swiss French: code 27.
  case switzerlandFrench
  /// Swiss German: code 28.
  case switzerlandGerman
  /// Switzerland: code 29.
  case switzerland
  /// Chinese (Zhuyin), Taiwan: code 30.
  case chineseZhuyin
  /// Turkish Q: code 31.
  case turkeyQWERTY
  /// United Kingdom: code 32.
  case unitedKingdom
  /// United States: code 33.
  case unitedStates
  /// Yugoslavian: code 34.
  case yugoslavia
  /// Turkish F: code 35.
  case turkeyStandard
}

extension HIDDeviceLocalizationCode {
  /// The cases in the order of their codes, from 0.
  private static let inOrder: [HIDDeviceLocalizationCode] = [
    .unsupported, .arabic, .belgium, .canada, .canadaFrench, .czechia, .denmark, .finland, .france,
    .germany, .greece, .hebrew, .hungary, .unitedStatesISO, .italy, .japan, .korea, .latinAmerica,
    .netherlands, .norway, .persian, .poland, .portugal, .russia, .slovakia, .spain, .sweden,
    .switzerlandFrench, .switzerlandGerman, .switzerland, .chineseZhuyin, .turkeyQWERTY,
    .unitedKingdom, .unitedStates, .yugoslavia, .turkeyStandard,
  ]

  /// Makes the case of a code; ``unsupported`` for a code that HID 1.11 does not define.
  init(countryCode: UInt32) {
    let index = Int(countryCode)
    self = Self.inOrder.indices.contains(index) ? Self.inOrder[index] : .unsupported
  }

  /// The code of HID 1.11.
  var countryCode: UInt32 {
    UInt32(clamping: Self.inOrder.firstIndex(of: self) ?? 0)
  }
}
