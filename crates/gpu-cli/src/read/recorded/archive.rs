//! Packed files that are recognised, to say how to unpack them.

/// A form of packing.
#[derive(Debug)]
pub(super) struct Packed {
    /// What it is called.
    pub(super) what: &'static str,
    /// How to unpack it.
    pub(super) unpack: &'static str,
    at: usize,
    magic: &'static [u8],
}

#[rustfmt::skip]
const FORMS: [Packed; 5] = [
    Packed { what: "tar archive",  unpack: "tar -xf FILE",     at: 257, magic: b"ustar" },
    Packed { what: "zip archive",  unpack: "unzip FILE",       at: 0,   magic: b"PK\x03\x04" },
    Packed { what: "zstd file",    unpack: "zstd -d FILE",     at: 0,   magic: b"\x28\xb5\x2f\xfd" },
    Packed { what: "xz file",      unpack: "xz -d FILE",       at: 0,   magic: b"\xfd7zXZ\x00" },
    Packed { what: "bzip2 file",   unpack: "bzip2 -d FILE",    at: 0,   magic: b"BZh" },
];

/// The form of packing these bytes have, if any.
pub(super) fn of(bytes: &[u8]) -> Option<&'static Packed> {
    FORMS.iter().find(|it| {
        bytes
            .get(it.at..)
            .is_some_and(|rest| rest.starts_with(it.magic))
    })
}
