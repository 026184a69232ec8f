# SPDX-License-Identifier: Apache-2.0
"""Programs that are the firmware of devices which a device file cannot describe alone. Each is a module to import by its name."""
