// SPDX-License-Identifier: Apache-2.0

// Whoever reads descriptors has use for usages and their names, types and IDs of reports, without another import.
@_exported public import HIDUsageNaming
