// SPDX-License-Identifier: Apache-2.0

// Code that imports this library uses usages, report types and IDs without another import.
@_exported public import HIDUsages
// Public declarations of this library name these types, whose module is not a product.
@_exported public import struct HIDText.HIDTextLocation
@_exported public import struct HIDText.HIDTextProblem
