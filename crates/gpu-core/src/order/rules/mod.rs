//! The rules of gpu-order, one file each; `RULES` is the list of them all.

mod barrier_stuck;
mod device_plugin_without_toolkit;
mod driver_manager_fails;
mod gfd_labels_missing;
mod runtime_handler_missing;
mod second_device_plugin;
mod stale_prerequisite;
mod validation_fails;

use crate::standing::Rule;

/// All rules of gpu-order, by name.
pub const RULES: &[Rule] = &[
    barrier_stuck::RULE,
    device_plugin_without_toolkit::RULE,
    driver_manager_fails::RULE,
    gfd_labels_missing::RULE,
    runtime_handler_missing::RULE,
    second_device_plugin::RULE,
    stale_prerequisite::RULE,
    validation_fails::RULE,
];

/// The id of the strict rule.
pub const STRICT: &str = device_plugin_without_toolkit::RULE.id;
