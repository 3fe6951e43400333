//! The shim: a script of a few lines by whose name kubectl finds who completes a plugin.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::WORD;
use super::place::Places;
use crate::error::Error;
use crate::frame::{print, remark};
use crate::plugin::Plugin;

/// Writes the shim, and says where.
pub(super) fn install(plugin: &Plugin, folder: Option<&str>) -> Result<ExitCode, Error> {
    let (report, notes) = put(plugin, folder, &Places::of_process())?;
    notes.iter().for_each(|it| remark(it));
    print(&report)
}

/// Takes the shim away, and says from where.
pub(super) fn uninstall(plugin: &Plugin, folder: Option<&str>) -> Result<ExitCode, Error> {
    print(&take_away(plugin, folder, &Places::of_process())?)
}

/// What lies where the shim would be.
enum There {
    Nothing,
    /// A shim of this plugin, of whatever release.
    Ours(String),
    Foreign,
}

fn put(
    plugin: &Plugin,
    folder: Option<&str>,
    places: &Places,
) -> Result<(String, Vec<String>), Error> {
    let folder = match folder {
        Some(it) => PathBuf::from(it),
        None => places.beside(plugin.program.name).ok_or_else(|| {
            let name = plugin.program.name;
            Error::Usage(format!(
                "{name} is in no folder of PATH, so kubectl would not find what is beside it; name a folder with --dir"
            ))
        })?,
    };
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(Error::Usage(format!("--dir: there is no folder {folder}")));
    }
    let file = folder.join(name(plugin));
    let shown = file.display();
    let done = match there(plugin, &file) {
        There::Foreign => return Err(foreign(&file)),
        There::Ours(text) if text == shim(plugin) => "is there already",
        There::Ours(_) | There::Nothing => "written",
    };
    write(&file, &shim(plugin)).map_err(|why| Error::Shim {
        file: file.display().to_string(),
        why,
    })?;
    let typed = plugin.kubectl_name();
    let report = format!(
        "{shown} {done}\n{typed} completes wherever kubectl itself does.\n\
         It takes kubectl 1.26 or newer; kubectl completion --help tells how to set up a shell.\n"
    );
    let mut notes = Vec::new();
    if !places.is_searched(&folder) {
        let folder = folder.display();
        notes.push(format!(
            "warning: {folder} is not in PATH, and kubectl looks nowhere else; add it, or name another folder with --dir"
        ));
    }
    Ok((report, notes))
}

fn take_away(plugin: &Plugin, folder: Option<&str>, places: &Places) -> Result<String, Error> {
    let folders = match folder {
        Some(it) => vec![PathBuf::from(it)],
        None => places.all(),
    };
    let mut report = String::new();
    for file in folders.iter().map(|it| it.join(name(plugin))) {
        match there(plugin, &file) {
            There::Foreign if folder.is_some() => return Err(foreign(&file)),
            There::Foreign | There::Nothing => continue,
            There::Ours(_) => fs::remove_file(&file).map_err(|why| Error::Shim {
                file: file.display().to_string(),
                why,
            })?,
        }
        report.push_str(&format!("{} removed\n", file.display()));
    }
    if report.is_empty() {
        report.push_str("nothing to remove\n");
    }
    Ok(report)
}

fn foreign(file: &Path) -> Error {
    let file = file.display();
    Error::Usage(format!(
        "{file} was not written by this plugin, so it is left alone; move it away or name another folder with --dir"
    ))
}

/// `kubectl_complete-gpu_audit`, with the ending by which Windows knows a script.
fn name(plugin: &Plugin) -> String {
    let name = plugin.program.name.trim_start_matches("kubectl-");
    let ending = if cfg!(windows) { ".cmd" } else { "" };
    format!("kubectl_complete-{name}{ending}")
}

/// The line that does the work, and by which a shim is known as ours.
fn call(plugin: &Plugin) -> String {
    format!("{} {WORD}", plugin.program.name)
}

/// The text is a file, since the archives of a release hold it too. It silences the plugin: one that is gone has nothing
/// to complete, and no shell says so in the middle of a line.
fn shim(plugin: &Plugin) -> String {
    let text = match cfg!(windows) {
        true => include_str!("shim.cmd"),
        false => include_str!("shim.sh"),
    };
    text.replace("{program}", plugin.program.name)
}

fn there(plugin: &Plugin, file: &Path) -> There {
    // A link is somebody's arrangement, wherever it leads.
    match fs::symlink_metadata(file) {
        Err(why) if why.kind() == ErrorKind::NotFound => There::Nothing,
        Ok(it) if it.is_file() => match fs::read_to_string(file) {
            Ok(text) if text.contains(&call(plugin)) => There::Ours(text),
            _ => There::Foreign,
        },
        _ => There::Foreign,
    }
}

/// Writes a program: whole or not at all, since kubectl may run it at any moment.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let draft = file.with_file_name(name);
    let written = draft_of(&draft, text).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn draft_of(draft: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut out = options.write(true).create_new(true).open(draft)?;
    out.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        out.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    out.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::tests::PLUGIN;

    /// A folder that is in PATH, with the plugin in it.
    fn bench() -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        let program = format!("{}{}", PLUGIN.program.name, std::env::consts::EXE_SUFFIX);
        fs::write(folder.path().join(program), "").unwrap();
        let places = Places {
            path: vec![folder.path().to_owned()],
            krew: None,
        };
        (folder, places)
    }

    #[test]
    fn it_is_written_once_and_taken_away_once() {
        let (folder, places) = bench();
        let file = folder.path().join(name(&PLUGIN));
        let (report, notes) = put(&PLUGIN, None, &places).unwrap();
        assert!(report.starts_with(&format!("{} written\n", file.display())));
        assert!(report.contains("kubectl 1.26"), "{report}");
        assert_eq!(notes, [""; 0]);
        assert_eq!(fs::read_to_string(&file).unwrap(), shim(&PLUGIN));
        assert!(
            put(&PLUGIN, None, &places)
                .unwrap()
                .0
                .contains("is there already")
        );
        assert_eq!(
            take_away(&PLUGIN, None, &places).unwrap(),
            format!("{} removed\n", file.display())
        );
        assert!(!file.exists());
        assert_eq!(
            take_away(&PLUGIN, None, &places).unwrap(),
            "nothing to remove\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn it_can_be_run_even_if_somebody_took_that_from_it() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, places) = bench();
        let file = folder.path().join(name(&PLUGIN));
        fs::write(&file, shim(&PLUGIN)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        put(&PLUGIN, None, &places).unwrap();
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o755
        );
    }

    #[test]
    fn what_is_not_ours_stays() {
        let (folder, places) = bench();
        let file = folder.path().join(name(&PLUGIN));
        fs::write(&file, "#!/bin/sh\nsomething else\n").unwrap();
        let at = folder.path().to_str().unwrap();
        for error in [
            put(&PLUGIN, None, &places).unwrap_err(),
            take_away(&PLUGIN, Some(at), &places).unwrap_err(),
        ] {
            assert!(error.line().contains("is left alone"), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
        assert_eq!(
            take_away(&PLUGIN, None, &places).unwrap(),
            "nothing to remove\n"
        );
        assert!(file.exists());
    }

    #[test]
    fn a_folder_that_kubectl_does_not_search_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_str();
        let (_, notes) = put(&PLUGIN, at, &Places::default()).unwrap();
        assert!(notes[0].contains("is not in PATH"), "{notes:?}");
        for (folder, says) in [
            (None, "in no folder of PATH"),
            (Some("/nowhere/x"), "no folder"),
        ] {
            let error = put(&PLUGIN, folder, &Places::default()).unwrap_err();
            assert!(error.line().contains(says), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn the_shims_of_every_system_are_known_as_ours() {
        for text in [include_str!("shim.sh"), include_str!("shim.cmd")] {
            assert!(text.contains(&format!("{{program}} {WORD} ")), "{text}");
        }
    }
}
