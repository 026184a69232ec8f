// SPDX-License-Identifier: Apache-2.0

// Clients of this library use usages, their names, and report types and IDs without another import.
@_exported public import HIDUsageNaming
