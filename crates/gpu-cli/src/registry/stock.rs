//! The questions of a plugin put to registries, as the flags say.

use std::collections::BTreeMap;

use gpu_core::cluster::{Cluster, Read, pull_secret};
use gpu_core::drivertag::Stock;
use gpu_core::drivertag::existence::{Existence, ImageRef, Question, Reference};

use super::{CredentialFile, Options, RegistryArgs, Surroundings, list_tags, look_up};
use crate::args::SharedArgs;
use crate::error::Error;
use crate::frame::remark;
use crate::read::Program;

impl RegistryArgs {
    /// What to read from the cluster before registries are asked: its pull secrets, and only if told so.
    pub fn reads(&self, cluster: &Cluster) -> Vec<Read> {
        let home = cluster
            .namespace
            .as_deref()
            .filter(|_| self.use_pull_secrets);
        home.map(pull_secret::reads).unwrap_or_default()
    }

    /// Asks the registries, or says of nothing anything where nobody is to be asked.
    /// The error is for what was typed.
    pub fn ask(
        &self,
        program: Program,
        shared: &SharedArgs,
        cluster: &Cluster,
        questions: &[Question],
    ) -> Result<Stock, Error> {
        if self.registry.is_none() {
            return Ok(Stock::default());
        }
        let secrets = secrets(cluster);
        let options = self.options(&shared.access, program, Surroundings::of_process(), secrets)?;
        let mut stock = Stock {
            answers: look_up(questions, &options),
            ..Stock::default()
        };
        if self.list {
            list(&mut stock, questions, &options);
        }
        Ok(stock)
    }
}

/// The credentials that the cluster itself pulls with; one that cannot be read is told and left out.
fn secrets(cluster: &Cluster) -> Vec<CredentialFile> {
    let mut found = Vec::new();
    for it in &cluster.pull_secrets {
        let name = format!("{}/{}", it.namespace, it.name);
        match CredentialFile::of_secret(&name, it.file.expose()) {
            Ok(file) => found.push(file),
            Err(why) => remark(&format!(
                "warning: secret {name}: {why}; going on without it"
            )),
        }
    }
    if let Some(it) = cluster.unseen_elsewhere(gpu_core::cluster::Kind::Secret) {
        remark(&format!(
            "warning: pull secrets: {}; going on without them",
            it.why
        ));
    }
    found
}

/// Lists the tags of each repository in which an image is absent, once.
fn list(stock: &mut Stock, questions: &[Question], options: &Options) {
    let mut repositories: BTreeMap<(&str, &str), &ImageRef> = BTreeMap::new();
    for (it, answer) in questions.iter().zip(&stock.answers) {
        if *answer == Existence::Absent && matches!(it.image.reference, Reference::Tag(_)) {
            repositories.insert((&it.image.registry, &it.image.repository), &it.image);
        }
    }
    for ((registry, repository), image) in repositories {
        match list_tags(image, options) {
            Ok(tags) => stock.listed.take_tags(repository, tags),
            Err(why) => remark(&format!(
                "warning: tags of {registry}/{repository}: {}",
                why.name()
            )),
        }
    }
}
