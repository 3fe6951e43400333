//! The rules of gpu-order, one file each; `RULES` is the list of them all.

mod device_plugin_without_toolkit;

use crate::standing::Rule;

/// All rules of gpu-order, by name.
pub const RULES: &[Rule] = &[device_plugin_without_toolkit::RULE];

/// The id of the strict rule.
pub const STRICT: &str = device_plugin_without_toolkit::RULE.id;
