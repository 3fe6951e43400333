//! Bytes to text: by what they are, not by what the file is called.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::archive;
use super::error::RecordedError;

const GZIP: &[u8] = b"\x1f\x8b";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Unpacks and checks one input; `limit` bounds what decompression may yield.
pub(super) fn decode(name: &str, bytes: Vec<u8>, limit: u64) -> Result<String, RecordedError> {
    let mut bytes = match bytes.starts_with(GZIP) {
        true => inflate(name, &bytes, limit)?,
        false => bytes,
    };
    if let Some(packed) = archive::of(&bytes) {
        return Err(RecordedError::Packed {
            name: name.to_owned(),
            what: packed.what,
            unpack: packed.unpack,
        });
    }
    if is_utf16(&bytes) {
        return Err(RecordedError::Utf16 {
            name: name.to_owned(),
        });
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        RecordedError::NotText {
            name: name.to_owned(),
            line: 1 + good.iter().filter(|it| **it == b'\n').count(),
        }
    })
}

fn inflate(name: &str, bytes: &[u8], limit: u64) -> Result<Vec<u8>, RecordedError> {
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(limit.saturating_add(1))
        .read_to_end(&mut plain)
        .map_err(|cause| RecordedError::Gzip {
            name: name.to_owned(),
            cause,
        })?;
    if plain.len() as u64 > limit {
        return Err(RecordedError::TooLarge {
            name: name.to_owned(),
            limit,
        });
    }
    Ok(plain)
}

/// By its mark, or by the zero that every second byte of plain text then is.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(bytes, [0, a, 0, b, ..] | [a, 0, b, 0, ..] if *a != 0 && *b != 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_decompression_may_yield_is_bounded() {
        let bomb = gzip(&[b' '; 10_000]);
        assert!(bomb.len() < 200);
        let error = decode("bomb.gz", bomb.clone(), 9_999).unwrap_err();
        assert_eq!(error.to_string(), "bomb.gz is larger than 9999 bytes");
        assert_eq!(decode("bomb.gz", bomb, 10_000).unwrap().len(), 10_000);
    }

    #[test]
    fn gzip_files_written_one_after_the_other_are_one_text() {
        let both = [gzip(b"a: 1\n"), gzip(b"b: 2\n")].concat();
        assert_eq!(decode("x", both, 100).unwrap(), "a: 1\nb: 2\n");
    }
}
