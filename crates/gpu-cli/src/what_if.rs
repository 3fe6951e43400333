//! `--kernel`, `--os`, `--driver` and `--plan`: a change to be looked at before it is made.

use clap::{Args, ValueHint};
use gpu_core::drivertag::{Change, WhatIf};
use gpu_core::standing::Scope;

use crate::args::SharedArgs;
use crate::error::Error;
use crate::inventory::InventoryArgs;
use crate::text_file::{self, STDIN};

const PLAN: &str = "--plan";

/// A change of the nodes that are named, or of all.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What if")]
pub struct WhatIfArgs {
    /// Answer as if the nodes ran this kernel, such as 6.8.0-51-generic.
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Answer as if the nodes ran this system, such as ubuntu24.04.
    #[arg(long, value_name = "OS")]
    pub os: Option<String>,
    /// Answer as if the policy asked for this driver: a branch, such as 570, where drivers are precompiled, else a full version.
    #[arg(long, value_name = "VERSION")]
    pub driver: Option<String>,
    /// Answer for a plan in stages: lines of NODE or label query (or all), then kernel=, os= and driver=; - for standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["kernel", "os", "driver"])]
    pub plan: Option<String>,
}

impl WhatIfArgs {
    /// Reads the change of the nodes of a scope. The error says what makes no sense.
    pub fn read(
        &self,
        scope: &Scope,
        shared: &SharedArgs,
        inventory: &InventoryArgs,
    ) -> Result<WhatIf, Error> {
        if let Some(file) = &self.plan {
            let mut others = shared.input.filename.iter().chain(&inventory.inventory);
            if file == STDIN && others.any(|it| it == STDIN) {
                return Err(Error::Usage(format!(
                    "standard input can be read once: {PLAN} - goes with neither --filename - nor --inventory -"
                )));
            }
            let text = text_file::read(PLAN, file)?;
            return WhatIf::plan(&text).map_err(|bad| {
                Error::Usage(format!("{PLAN} {file}: line {}: {}", bad.line, bad.why))
            });
        }
        let change = Change::new(
            self.kernel.as_deref(),
            self.os.as_deref(),
            self.driver.as_deref(),
        );
        Ok(WhatIf::change(change.map_err(Error::Usage)?, scope))
    }
}
