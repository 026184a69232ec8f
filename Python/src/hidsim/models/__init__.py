# SPDX-License-Identifier: Apache-2.0
"""Firmware of devices that need more than a device file."""
