//! The time that the linker writes into a program for Windows: zig's has no flag against it.

/// The same program with no time in it; anything that is no program for Windows stays as it is.
pub(super) fn without_time(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(time) = place(&bytes).and_then(|at| bytes.get_mut(at..at + 4)) {
        time.fill(0);
    }
    bytes
}

/// Where the time stands: behind the mark of the header whose place the first block ends with, and two numbers.
fn place(bytes: &[u8]) -> Option<usize> {
    let pointer: [u8; 4] = bytes.get(0x3c..0x40)?.try_into().ok()?;
    let header = usize::try_from(u32::from_le_bytes(pointer)).ok()?;
    let mark = bytes.get(header..header.checked_add(4)?)?;
    (mark == b"PE\0\0").then_some(header + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of a program whose header stands at 0x80, linked at this time.
    fn program(time: u8) -> Vec<u8> {
        let mut bytes = vec![7; 0x100];
        bytes[0x3c..0x40].copy_from_slice(&[0x80, 0, 0, 0]);
        bytes[0x80..0x84].copy_from_slice(b"PE\0\0");
        bytes[0x88..0x8c].fill(time);
        bytes
    }

    #[test]
    fn two_programs_that_differ_in_their_time_are_the_same_without_it() {
        assert_eq!(without_time(program(1)), without_time(program(2)));
        assert_eq!(without_time(program(1)), program(0));
    }

    #[test]
    fn what_is_no_program_for_windows_stays_as_it_is() {
        let mut cut_off = program(1);
        cut_off.truncate(0x86);
        let mut elsewhere = program(1);
        elsewhere[0x3c..0x40].fill(0xff);
        for bytes in [
            Vec::new(),
            b"\x7fELF".to_vec(),
            vec![1; 0x100],
            cut_off,
            elsewhere,
        ] {
            assert_eq!(without_time(bytes.clone()), bytes);
        }
    }
}
