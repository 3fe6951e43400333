//! What is claimed of every program that is released: its size, its platform, and that nothing else has to be there.

use std::collections::BTreeSet;

use object::{Architecture, BinaryFormat, Object};

use super::platform::Platform;

/// In bytes.
const SIZE: usize = 6_000_000;

/// What every Windows has.
const OF_WINDOWS: &[&str] = &[
    "advapi32.dll",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "crypt32.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "secur32.dll",
    "shell32.dll",
    "user32.dll",
    "userenv.dll",
    "ws2_32.dll",
];
/// The C runtime of Windows 10 and later comes in many names.
const C_RUNTIME: &str = "api-ms-win-";

/// What does not hold of a program; empty if all does.
pub(super) fn broken(bytes: &[u8], platform: &Platform) -> Vec<String> {
    let mut broken = Vec::new();
    if bytes.len() > SIZE {
        broken.push(format!("it has {} bytes; at most {SIZE}", bytes.len()));
    }
    let file = match object::File::parse(bytes) {
        Ok(file) => file,
        Err(error) => {
            broken.push(format!("it is no program: {error}"));
            return broken;
        }
    };
    let is = (file.format(), file.architecture());
    if is != form(platform) {
        broken.push(format!("it is for {:?} {:?}", is.0, is.1));
    }
    match foreign(&file, platform) {
        Ok(libraries) if libraries.is_empty() => {}
        Ok(libraries) => broken.push(format!("it needs {}", libraries.join(", "))),
        Err(error) => broken.push(format!("what it imports cannot be read: {error}")),
    }
    if asks_for_a_loader(bytes, platform) {
        broken.push("it asks for a dynamic loader".to_owned());
    }
    broken
}

fn form(platform: &Platform) -> (BinaryFormat, Architecture) {
    let format = match platform.os {
        "darwin" => BinaryFormat::MachO,
        "windows" => BinaryFormat::Pe,
        _ => BinaryFormat::Elf,
    };
    let architecture = match platform.arch {
        "arm64" => Architecture::Aarch64,
        _ => Architecture::X86_64,
    };
    (format, architecture)
}

/// The libraries that do not come with the system. On Linux they do not count: without a loader nothing is loaded.
fn foreign(file: &object::File<'_>, platform: &Platform) -> object::Result<Vec<String>> {
    let comes_with_it = |library: &str| match platform.os {
        "darwin" => library.starts_with("/usr/lib/") || library.starts_with("/system/library/"),
        "windows" => OF_WINDOWS.contains(&library) || library.starts_with(C_RUNTIME),
        _ => true,
    };
    let mut foreign = BTreeSet::new();
    for import in file.imports()? {
        let library = String::from_utf8_lossy(import?.library()).to_lowercase();
        if !comes_with_it(&library) {
            foreign.insert(library);
        }
    }
    Ok(foreign.into_iter().collect())
}

/// A program for Linux that names an interpreter starts only where that is.
fn asks_for_a_loader(bytes: &[u8], platform: &Platform) -> bool {
    use object::read::elf::{FileHeader, ProgramHeader};
    if platform.os != "linux" {
        return false;
    }
    let Ok(header) = object::elf::FileHeader64::<object::Endianness>::parse(bytes) else {
        return false;
    };
    let Ok(endian) = header.endian() else {
        return false;
    };
    let segments = header.program_headers(endian, bytes).unwrap_or_default();
    segments
        .iter()
        .any(|it| it.p_type(endian) == object::elf::PT_INTERP)
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;

    #[test]
    fn a_program_of_the_development_is_found_wanting_and_named() {
        let own = fs::read(env::current_exe().unwrap()).unwrap();
        let host = Platform::named("host").unwrap();
        let broken = broken(&own, host).join("; ");
        assert!(broken.contains("bytes; at most 6000000"), "{broken}");
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            assert!(broken.contains("dynamic loader"), "{broken}");
        }
        let windows = Platform::named("windows/amd64").unwrap();
        assert!(
            super::broken(&own, windows)
                .iter()
                .any(|it| it.starts_with("it is for "))
        );
    }

    #[test]
    fn text_is_no_program() {
        let host = Platform::named("host").unwrap();
        assert!(broken(b"#!/bin/sh\n", host)[0].starts_with("it is no program"));
    }
}
