//! A list of the images somebody has, in the forms such lists come in.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::reference::Image;
use super::tag::Tag;

/// The images somebody has.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Tags without a name: those of the driver's repository.
    bare: HashSet<String>,
    /// Tags and digests by the last part of the repository's name.
    named: HashMap<String, HashSet<String>>,
}

/// Is an image in a list?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It is.
    Present,
    /// It is not.
    Absent,
    /// The list does not speak of images of this name.
    Unknown,
    /// There is no list.
    NotAsked,
}

impl Listed {
    /// As the JSON report writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::Unknown => "unknown",
            Self::NotAsked => "not-asked",
        }
    }
}

/// A line that is neither a tag nor a reference, or JSON of another shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadInventory {
    /// Its number, from 1; `None` for JSON.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl Inventory {
    /// Takes a list in: tags or references one a line with comments after `#`, a registry's `tags/list`, what
    /// skopeo prints, or a JSON array of either.
    pub fn take(&mut self, text: &str) -> Result<(), BadInventory> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with(['{', '[']) {
            return self
                .take_json(text)
                .map_err(|why| BadInventory { line: None, why });
        }
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let entry = line
                .strip_prefix("- ")
                .unwrap_or(line)
                .trim()
                .trim_matches(['"', '\'']);
            if !entry.is_empty() {
                self.take_entry(entry).map_err(|why| BadInventory {
                    line: Some(at + 1),
                    why,
                })?;
            }
        }
        Ok(())
    }

    /// Takes the tags of one repository in, as a registry lists them.
    pub fn take_tags(&mut self, repository: &str, tags: impl IntoIterator<Item = String>) {
        let base = repository.rsplit('/').next().unwrap_or(repository);
        self.named.entry(base.to_owned()).or_default().extend(tags);
    }

    fn take_json(&mut self, text: &str) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(text).map_err(|why| format!("it is no JSON: {why}"))?;
        let first = |keys: [&str; 2]| keys.iter().find_map(|it| value.get(*it));
        let tags = match &value {
            Value::Array(tags) => tags,
            // A repository without tags has null there.
            _ => match first(["tags", "Tags"]) {
                Some(Value::Array(tags)) => tags,
                Some(Value::Null) => &Vec::new(),
                _ => {
                    return Err(
                        "it has no list \"tags\" (tags/list) or \"Tags\" (skopeo)".to_owned()
                    );
                }
            },
        };
        let tags = tags.iter().map(|it| {
            it.as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("{it} is no tag"))
        });
        let tags = tags.collect::<Result<Vec<_>, _>>()?;
        match first(["name", "Repository"]).and_then(Value::as_str) {
            Some(repository) => {
                self.take_tags(repository, tags);
                Ok(())
            }
            None => tags.iter().try_for_each(|it| self.take_entry(it)),
        }
    }

    fn take_entry(&mut self, entry: &str) -> Result<(), String> {
        if let Ok(tag) = Tag::parse(entry) {
            self.bare.insert(tag.as_str().to_owned());
            return Ok(());
        }
        let image = Image::parse(entry)
            .map_err(|why| format!("{entry:?} is neither a tag nor an image reference: {why}"))?;
        let held = self.named.entry(image.base_name().to_owned()).or_default();
        held.extend(image.tag);
        held.extend(image.digest);
        Ok(())
    }

    /// Is this image in the list? A mirror keeps tags and changes what stands before the last part of the name.
    /// Tags without a name are those of the driver's repository, so of other images they tell only what is there.
    pub(super) fn holds(&self, image: &Image, is_driver: bool) -> Listed {
        let named = self.named.get(image.base_name());
        let held =
            |it: &String| self.bare.contains(it) || named.is_some_and(|all| all.contains(it));
        let is_there = match (&image.digest, &image.tag) {
            (Some(digest), _) if held(digest) => true,
            (Some(_), None) => false,
            (_, Some(tag)) => held(tag) || named.is_none() && self.is_anywhere(tag),
            (None, None) => held(&image.version().to_owned()),
        };
        // Lists of tags hold no digests, so a digest that is not there may be there under its tag.
        let speaks_of_digests = || {
            self.named
                .values()
                .flatten()
                .any(|it| it.starts_with("sha256:"))
        };
        let speaks_of_it = match image.tag {
            None if image.digest.is_some() => speaks_of_digests(),
            _ => named.is_some() || is_driver,
        };
        match (is_there, speaks_of_it) {
            (true, _) => Listed::Present,
            (false, true) => Listed::Absent,
            (false, false) => Listed::Unknown,
        }
    }

    /// Under another name: some mirrors flatten `nvidia/driver` to `nvidia-driver`.
    fn is_anywhere(&self, tag: &String) -> bool {
        self.named.values().any(|all| all.contains(tag))
    }

    /// Every tag that an image of this name may have, each once, in order.
    pub(super) fn tags_for(&self, image: &Image) -> BTreeSet<&str> {
        let named = self.named.get(image.base_name());
        let other = self.named.values().filter(|_| named.is_none());
        let all = self
            .bare
            .iter()
            .chain(named.into_iter().chain(other).flatten());
        all.map(String::as_str)
            .filter(|it| !it.starts_with("sha256:"))
            .collect()
    }
}
