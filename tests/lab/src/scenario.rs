//! Scenarios: clusters as steps that are data.

use crate::{Error, Step, gpu_operator, operand_lab};

/// A cluster that can be made in a lab.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: &'static str,
    /// What makes it.
    pub steps: fn() -> Vec<Step>,
}

impl Scenario {
    /// Every scenario there is.
    pub const ALL: [Scenario; 8] = [
        Scenario {
            name: "operand-lab",
            about: "three nodes, five DaemonSets, every pod running",
            steps: operand_lab::steps,
        },
        Scenario {
            name: "gpu-operator",
            about: "an operator v24.9.2 as Helm installs it, two GPU nodes, all is well",
            steps: gpu_operator::healthy,
        },
        Scenario {
            name: "untolerated-taint",
            about: "gpu-b was tainted for a team, and no operand tolerates that taint",
            steps: gpu_operator::untolerated_taint,
        },
        Scenario {
            name: "driver-stuck-in-init",
            about: "the driver of gpu-b fails in its init container, and five operands wait behind it",
            steps: gpu_operator::driver_stuck_in_init,
        },
        Scenario {
            name: "validator-opted-out",
            about: "the operator-validator of gpu-b is opted out, and three operands wait for it in vain",
            steps: gpu_operator::validator_opted_out,
        },
        Scenario {
            name: "stale-pause",
            about: "gpu-b got a new driver, and its operands are still paused for the upgrade",
            steps: gpu_operator::stale_pause,
        },
        Scenario {
            name: "image-not-pullable",
            about: "gpu-d got a new kernel that there is no driver image for; the other three GPU nodes are well",
            steps: gpu_operator::image_not_pullable,
        },
        Scenario {
            name: "device-plugin-without-toolkit",
            about: "the container-toolkit of gpu-b was opted out, and the device plugin runs on",
            steps: gpu_operator::device_plugin_without_toolkit,
        },
    ];

    /// The scenario with that name.
    ///
    /// # Errors
    /// [`Error::Unknown`], with the names there are.
    pub fn named(name: &str) -> Result<Scenario, Error> {
        let found = Scenario::ALL.into_iter().find(|it| it.name == name);
        found.ok_or_else(|| Error::Unknown {
            kind: "scenario",
            name: name.to_owned(),
            known: Scenario::ALL.map(|it| it.name).join(", "),
        })
    }
}
