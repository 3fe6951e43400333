//! `--inventory`: the images somebody has, from files.

use clap::{Args, ValueHint};
use gpu_core::drivertag::Inventory;

use crate::args::SharedArgs;
use crate::error::Error;
use crate::text_file::{self, STDIN};

const FLAG: &str = "--inventory";

/// The lists of images to compare with.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Images there are")]
pub struct InventoryArgs {
    /// List of images to compare with, - for standard input: tags or references one a line, a registry's tags/list, or what crane ls, skopeo list-tags or regctl tag ls print; may be repeated.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub inventory: Vec<String>,
}

impl InventoryArgs {
    /// Reads the lists; `None` where none is named. The error says which line makes no sense.
    pub fn read(&self, shared: &SharedArgs) -> Result<Option<Inventory>, Error> {
        if self.inventory.is_empty() {
            return Ok(None);
        }
        let n_stdin = self.inventory.iter().filter(|it| *it == STDIN).count();
        if n_stdin > 1 || n_stdin == 1 && shared.input.filename.iter().any(|it| it == STDIN) {
            return Err(Error::Usage(format!(
                "standard input can be read once: {FLAG} - goes with neither --filename - nor another {FLAG} -"
            )));
        }
        let mut inventory = Inventory::default();
        for file in &self.inventory {
            let text = text_file::read(FLAG, file)?;
            inventory.take(&text).map_err(|bad| Error::BadFile {
                flag: FLAG,
                file: file.clone(),
                why: match bad.line {
                    Some(line) => format!("line {line}: {}", bad.why),
                    None => bad.why,
                },
            })?;
        }
        Ok(Some(inventory))
    }
}
