// SPDX-License-Identifier: Apache-2.0

// These are the names that Apple's module makes visible: its own types, of which three are shared
// with the rest of hidsim, and Foundation. Nearly every program that uses CoreHID imports
// Foundation beside it.
@_exported public import Foundation
@_exported public import struct HIDReportDescriptor.HIDReportID
@_exported public import enum HIDReportDescriptor.HIDReportType
@_exported public import enum HIDUsages.HIDUsage

// The types below are not Apple's: the declarations in the folder Beyond use them. `HIDBus` is
// exported for `HIDBus.current`, and for tests.
@_exported public import struct HIDBus.HIDBus
@_exported public import struct HIDBus.HIDLossCount
@_exported public import struct HIDBus.HIDReport
@_exported public import class HIDBus.HIDReportHandling
@_exported public import struct HIDBus.HIDReportStream
@_exported public import struct HIDReportDescriptor.HIDReportBytes
