//! Archives whose bytes depend on nothing but what is in them: sorted, with one time, without owners.

use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use jiff::Timestamp;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// A regular file to pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name in the archive, without folders.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) bytes: Vec<u8>,
    /// Is it a program?
    pub(crate) executable: bool,
}

/// What an archive was found to hold at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The name as it is written there.
    pub(crate) name: String,
    /// Is it a plain file, or a folder?
    pub(crate) plain: Plain,
    /// The permission bits; `None` in a zip that was not made on Unix.
    pub(crate) mode: Option<u32>,
}

/// What krew unpacks, and everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a device, or whatever else.
    Neither,
}

const PROGRAM: u32 = 0o755;
const TEXT: u32 = 0o644;

/// A tar.gz: `seconds` since 1970 is the time of every file.
pub(crate) fn tar_gz(entries: &[Entry], seconds: u64) -> Result<Vec<u8>, String> {
    // No name and no time in gzip's header, and the byte for "unknown system".
    let gzip = GzBuilder::new()
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for entry in sorted(entries) {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(mode(entry));
        header.set_mtime(seconds);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, &entry.name, entry.bytes.as_slice())
            .map_err(|error| format!("cannot pack {}: {error}", entry.name))?;
    }
    let gzip = tar.into_inner().map_err(|error| error.to_string())?;
    gzip.finish().map_err(|error| error.to_string())
}

/// A zip: `seconds` since 1970 is the time of every file, before 1980 that of 1980.
pub(crate) fn zip(entries: &[Entry], seconds: u64) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot pack a zip: {error}");
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|it| Timestamp::from_second(it).ok())
        .map(|it| jiff::tz::TimeZone::UTC.to_datetime(it))
        .and_then(|it| zip::DateTime::try_from(it).ok())
        .unwrap_or_default();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in sorted(entries) {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(time)
            .system(zip::System::Unix)
            .unix_permissions(mode(entry));
        zip.start_file(&entry.name, options)
            .map_err(|it| failed(&it))?;
        zip.write_all(&entry.bytes).map_err(|it| failed(&it))?;
    }
    Ok(zip.finish().map_err(|it| failed(&it))?.into_inner())
}

/// What an archive holds; like krew, it looks at the bytes and not at the name.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Found>, String> {
    match bytes {
        [0x1f, 0x8b, ..] => read_tar(bytes).map_err(|error| format!("no tar.gz: {error}")),
        [b'P', b'K', ..] => read_zip(bytes).map_err(|error| format!("no zip: {error}")),
        _ => Err("neither a tar.gz nor a zip".to_owned()),
    }
}

fn read_tar(bytes: &[u8]) -> Result<Vec<Found>, std::io::Error> {
    let mut tar = tar::Archive::new(GzDecoder::new(bytes));
    let mut found = Vec::new();
    for entry in tar.entries()? {
        let mut entry = entry?;
        found.push(Found {
            name: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
            plain: match entry.header().entry_type() {
                tar::EntryType::Regular => Plain::File,
                tar::EntryType::Directory => Plain::Folder,
                _ => Plain::Neither,
            },
            mode: Some(entry.header().mode()? & 0o777),
        });
        // A tar that was cut off shows only where somebody reads to its end.
        std::io::copy(&mut entry, &mut std::io::sink())?;
    }
    Ok(found)
}

fn read_zip(bytes: &[u8]) -> Result<Vec<Found>, zip::result::ZipError> {
    let mut zip = ZipArchive::new(Cursor::new(bytes))?;
    let mut found = Vec::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index)?;
        std::io::copy(&mut file, &mut std::io::sink())?;
        found.push(Found {
            name: file.name()?.into_owned(),
            plain: match (file.is_symlink(), file.is_dir()) {
                (true, _) => Plain::Neither,
                (_, true) => Plain::Folder,
                _ => Plain::File,
            },
            mode: file.unix_mode().map(|it| it & 0o777),
        });
    }
    Ok(found)
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

fn mode(entry: &Entry) -> u32 {
    if entry.executable { PROGRAM } else { TEXT }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let entry = |name: &str, executable| Entry {
            name: name.to_owned(),
            bytes: name.repeat(1000).into_bytes(),
            executable,
        };
        vec![entry("program", true), entry("LICENSE", false)]
    }

    type Packer = fn(&[Entry], u64) -> Result<Vec<u8>, String>;
    const PACKERS: [(&str, Packer); 2] = [("tar.gz", tar_gz), ("zip", zip)];

    #[test]
    fn an_archive_holds_regular_files_by_name_with_their_bits() {
        for (form, pack) in PACKERS {
            let found = read(&pack(&entries(), 1_700_000_000).unwrap()).unwrap();
            let want = [("LICENSE", 0o644), ("program", 0o755)].map(|(name, mode)| Found {
                name: name.to_owned(),
                plain: Plain::File,
                mode: Some(mode),
            });
            assert_eq!(found, want, "{form}");
        }
    }

    #[test]
    fn the_order_of_the_files_changes_no_byte() {
        for (form, pack) in PACKERS {
            let mut turned = entries();
            turned.reverse();
            assert_eq!(pack(&entries(), 0), pack(&turned, 0), "{form}");
        }
    }

    #[test]
    fn nothing_of_this_machine_is_in_a_header() {
        let bytes = tar_gz(&entries(), 1_700_000_000).unwrap();
        assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        let mut tar = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
        for entry in tar.entries().unwrap() {
            let header = entry.unwrap().header().clone();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.mtime().unwrap(), 1_700_000_000);
            assert_eq!(header.username().unwrap(), Some(""));
        }
    }

    #[test]
    fn what_is_cut_off_or_no_archive_is_an_error() {
        for (form, pack) in PACKERS {
            let bytes = pack(&entries(), 0).unwrap();
            assert!(read(&bytes[..bytes.len() / 2]).is_err(), "{form}");
        }
        assert!(read(b"text").unwrap_err().contains("neither"));
    }
}
