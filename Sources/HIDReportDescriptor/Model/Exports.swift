// SPDX-License-Identifier: Apache-2.0

// Code that imports this library uses usages, their names, and report types and IDs without another
// import.
@_exported public import HIDUsageNaming
