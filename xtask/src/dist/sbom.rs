//! The list of what a program is made of, as CycloneDX: every package that is compiled into it, and who brings it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use cyclonedx_bom::{
    external_models::date_time::DateTime,
    models::{
        bom::{Bom, SpecVersion},
        component::{Classification, Component, Components},
        dependency::{Dependencies, Dependency},
        hash::{Hash, HashAlgorithm, HashValue, Hashes},
        license::{LicenseChoice, Licenses},
        metadata::Metadata,
    },
    prelude::{Purl, SpdxExpression, Validate},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::platform::Platform;
use crate::{
    cargo::{cargo, take},
    plugins::Plugin,
};

/// A package by name and version, which in one Cargo.lock is unique.
type Id = (String, String);

/// What cargo knows of the work tree for one platform.
pub(super) struct Packages<'a> {
    tree: &'a Path,
    platform: &'a Platform,
    metadata: Value,
    checksums: BTreeMap<Id, String>,
}

impl<'a> Packages<'a> {
    /// Asks cargo about the work tree at `tree`.
    pub(super) fn of(tree: &'a Path, platform: &'a Platform) -> Result<Self, String> {
        let mut command = cargo(&["metadata", "--format-version=1", "--locked"]);
        command
            .current_dir(tree)
            .args(["--filter-platform", platform.triple]);
        let metadata = serde_json::from_str(&take(command)?)
            .map_err(|error| format!("cargo metadata: {error}"))?;
        Ok(Self {
            tree,
            platform,
            metadata,
            checksums: checksums(tree)?,
        })
    }

    /// The list for an archive called `name` with these plugins, as JSON; `seconds` since 1970 is its time.
    pub(super) fn sbom(
        &self,
        name: &str,
        version: &str,
        plugins: &[&Plugin],
        seconds: u64,
    ) -> Result<Vec<u8>, String> {
        let compiled = self.compiled(plugins)?;
        let mut components = Vec::new();
        for package in self.packages().filter(|it| compiled.contains(&id(it))) {
            components.push(self.component(package)?);
        }
        components.sort_by(|a, b| a.bom_ref.cmp(&b.bom_ref));
        let top = Component::new(
            Classification::Application,
            name,
            version,
            Some(name.to_owned()),
        );
        let programs = plugins.iter().map(|it| it.binary.as_str()).collect();
        let bom = Bom {
            spec_version: SpecVersion::V1_5,
            // The library would make one up, another each time.
            serial_number: None,
            metadata: Some(Metadata {
                timestamp: time(seconds),
                component: Some(top),
                ..Metadata::default()
            }),
            components: Some(Components(components)),
            dependencies: Some(self.dependencies(name, &programs, &compiled)),
            ..Bom::default()
        };
        let checked = bom.validate_version(SpecVersion::V1_5);
        if !checked.passed() {
            return Err(format!("the SBOM of {name} is not valid: {checked:?}"));
        }
        let mut text = Vec::new();
        bom.output_as_json_v1_5(&mut text)
            .map_err(|error| format!("the SBOM of {name}: {error}"))?;
        text.push(b'\n');
        Ok(text)
    }

    /// What is compiled into these programs; macros run while they are built and are not in them.
    fn compiled(&self, plugins: &[&Plugin]) -> Result<BTreeSet<Id>, String> {
        let mut command = cargo(&[
            "tree",
            "--edges=normal,no-proc-macro",
            "--prefix=none",
            "--format={p}",
            "--locked",
        ]);
        command
            .current_dir(self.tree)
            .args(["--target", self.platform.triple]);
        for plugin in plugins {
            command.args(["--package", &plugin.binary]);
        }
        let text = take(command)?;
        Ok(text.lines().filter_map(listed).collect())
    }

    fn packages(&self) -> impl Iterator<Item = &Value> {
        self.metadata["packages"].as_array().into_iter().flatten()
    }

    fn component(&self, package: &Value) -> Result<Component, String> {
        let (name, version) = id(package);
        let is_program = name.starts_with("kubectl-");
        let class = if is_program {
            Classification::Application
        } else {
            Classification::Library
        };
        let mut component =
            Component::new(class, &name, &version, Some(reference(&name, &version)));
        component.licenses = package["license"].as_str().map(|it| {
            let expression = it.replace('/', " OR ");
            Licenses(vec![LicenseChoice::Expression(SpdxExpression::new(
                &expression,
            ))])
        });
        if package["source"].is_string() {
            let purl = Purl::new("cargo", &name, &version);
            component.purl = Some(purl.map_err(|error| format!("{name}: {error}"))?);
        }
        component.hashes = self.checksums.get(&(name, version)).map(|it| {
            Hashes(vec![Hash {
                alg: HashAlgorithm::SHA_256,
                content: HashValue(it.clone()),
            }])
        });
        Ok(component)
    }

    /// Who brings whom: the archive its programs, and every package those that are compiled with it.
    fn dependencies(
        &self,
        archive: &str,
        programs: &BTreeSet<&str>,
        compiled: &BTreeSet<Id>,
    ) -> Dependencies {
        let ids: BTreeMap<&str, Id> = self
            .packages()
            .filter_map(|it| Some((it["id"].as_str()?, id(it))))
            .filter(|(_, id)| compiled.contains(id))
            .collect();
        let name = |it: &Id| reference(&it.0, &it.1);
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let tops = compiled
            .iter()
            .filter(|it| programs.contains(it.0.as_str()));
        all.insert(archive.to_owned(), tops.map(name).collect());
        let nodes = self.metadata["resolve"]["nodes"].as_array();
        for node in nodes.into_iter().flatten() {
            let Some(from) = node["id"].as_str().and_then(|it| ids.get(it)) else {
                continue;
            };
            let used = node["deps"].as_array().into_iter().flatten();
            let used = used
                .filter(|it| is_normal(it))
                .filter_map(|it| ids.get(it["pkg"].as_str()?))
                .map(name)
                .collect();
            all.insert(name(from), used);
        }
        let rows = all.into_iter().map(|(dependency_ref, used)| Dependency {
            dependency_ref,
            dependencies: used.into_iter().collect(),
        });
        Dependencies(rows.collect())
    }
}

fn is_normal(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
    kinds.into_iter().any(|it| it["kind"].is_null())
}

fn id(package: &Value) -> Id {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    (text("name"), text("version"))
}

fn reference(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

/// A line of `cargo tree`: `serde v1.0.0`, and where it is not from the registry, its folder.
fn listed(line: &str) -> Option<Id> {
    let mut words = line.split(' ');
    let name = words.next().filter(|it| !it.is_empty())?;
    let version = words.next()?.strip_prefix('v')?;
    Some((name.to_owned(), version.to_owned()))
}

fn time(seconds: u64) -> Option<DateTime> {
    let time = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    DateTime::try_from(time.to_string()).ok()
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The checksums of Cargo.lock.
fn checksums(tree: &Path) -> Result<BTreeMap<Id, String>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot read Cargo.lock: {error}");
    let text = fs::read_to_string(tree.join("Cargo.lock")).map_err(|it| failed(&it))?;
    let lock: Lock = toml::from_str(&text).map_err(|it| failed(&it))?;
    let rows = lock.package.into_iter();
    Ok(rows
        .filter_map(|it| Some(((it.name, it.version), it.checksum?)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo::root, plugins};

    #[test]
    fn the_list_of_a_plugin_names_what_is_in_it_and_no_macro() {
        let platform = Platform::named("host").unwrap();
        let plugins = plugins::read(root()).unwrap();
        let audit: Vec<&Plugin> = plugins.iter().filter(|it| it.name == "gpu-audit").collect();
        let packages = Packages::of(root(), platform).unwrap();
        let text = packages
            .sbom("archive", "0.1.0", &audit, 1_700_000_000)
            .unwrap();
        let again = packages
            .sbom("archive", "0.1.0", &audit, 1_700_000_000)
            .unwrap();
        assert!(
            text == again,
            "the list comes out differently the second time"
        );

        let bom: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(bom["bomFormat"], "CycloneDX");
        assert_eq!(bom["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        let components = bom["components"].as_array().unwrap();
        let named = |name: &str| components.iter().find(|it| it["name"] == name);
        let kube = named("kube").unwrap();
        assert_eq!(kube["hashes"][0]["content"].as_str().unwrap().len(), 64);
        assert!(
            kube["purl"]
                .as_str()
                .unwrap()
                .starts_with("pkg:cargo/kube@5")
        );
        assert_eq!(kube["licenses"][0]["expression"], "Apache-2.0");
        assert!(named("gpu-core").is_some() && named("kubectl-gpu_audit").is_some());
        for absent in ["serde_derive", "syn", "xtask", "kubectl-gpu_order"] {
            assert!(named(absent).is_none(), "{absent}");
        }
        let rows = bom["dependencies"].as_array().unwrap();
        let top = rows.iter().find(|it| it["ref"] == "archive").unwrap();
        assert_eq!(top["dependsOn"].as_array().unwrap().len(), 1);
    }
}
