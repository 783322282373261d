//! Intact records inside a damaged line.
//!
//! A lost newline, the start of an interrupted write or a run of NUL bytes puts other bytes on the line
//! of an intact record. Only records at the start or the end of the line are searched for: an object
//! nested in a record's content (a log that a tool has printed, say) must never count as a record.

use std::ops::Range;

use crate::MAX_RECORD;
use crate::line::{check_record, possible_ends, split};

/// Candidates that are tried per line. Content with a million `{"` must not cost a million checks.
const MAX_TRIALS: usize = 1 << 14;

/// The ranges of intact records in `bytes`, in order and without overlap.
pub(crate) fn intact_records(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(range) = leading(bytes, from) {
        from = range.end;
        found.push(range);
    }
    found.extend(trailing(bytes, from));
    found
}

/// A record that starts at `from`, or one byte later, where a newline was overwritten.
fn leading(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = (from..=from + 1).find(|&at| bytes.get(at) == Some(&b'{'))?;
    let rest = &bytes[start..];
    let mut covered = 0;
    let mut crc = 0;
    for end in possible_ends(rest).take(MAX_TRIALS) {
        let (head, stated) = split(&rest[..end])?;
        crc = crc32c::crc32c_append(crc, &head[covered..]);
        covered = head.len();
        if crc == stated && is_record(&rest[..end]) {
            return Some(start..start + end);
        }
    }
    None
}

/// A record that ends at the end of the line, trailing blanks and NUL bytes aside.
fn trailing(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let junk = bytes
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_whitespace() || **byte == 0);
    let end = bytes.len() - junk.count();
    let rest = bytes.get(from..end)?;
    let (covered, stated) = split(rest)?;
    let whole = crc32c::crc32c(covered);
    let mut prefix = (0, 0);
    for at in memchr::memmem::find_iter(covered, b"{\"").take(MAX_TRIALS) {
        prefix = (at, crc32c::crc32c_append(prefix.1, &covered[prefix.0..at]));
        // CRC is linear: the checksum of the suffix follows from those of the whole and the prefix,
        // so that all candidates together cost one pass and not one pass each.
        let suffix = crc32c::crc32c_combine(prefix.1, whole, covered.len() - at);
        if suffix == stated && is_record(&rest[at..]) {
            return Some(from + at..end);
        }
    }
    None
}

fn is_record(line: &[u8]) -> bool {
    line.len() <= MAX_RECORD && check_record(line).is_ok()
}

#[cfg(test)]
mod tests {
    use scorel_proto::Seq;

    use super::*;
    use crate::line::seal_record;

    fn record(n: u64, content: &str) -> Vec<u8> {
        let seq = Seq::new(n).expect("in range");
        let json = format!("{{\"seq\":{n},\"content\":{content}}}");
        let mut line = seal_record(json.into(), seq, seq.previous())
            .expect("valid")
            .bytes;
        line.pop();
        line
    }

    fn check(parts: &[&[u8]], intact: &[usize]) {
        let mut expected = Vec::new();
        let mut bytes = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if intact.contains(&index) {
                expected.push(bytes.len()..bytes.len() + part.len());
            }
            bytes.extend_from_slice(part);
        }
        assert_eq!(intact_records(&bytes), expected);
    }

    #[test]
    fn records_are_found_after_partial_lines_and_around_a_lost_newline() {
        let (a, b) = (record(1, "{\"x\":{}}"), record(2, "[{\"y\":1}]"));
        check(&[&a[..20], &b], &[1]);
        check(&[&a[..a.len() - 1], &b], &[1]);
        check(&[&[0; 300], &b], &[1]);
        check(&[&a, b"\x0b", &b], &[0, 2]);
        check(&[&a, b"\x0b", &b, b"\x0b", &record(3, "0")], &[0, 2, 4]);
        check(&[&a, &b], &[0, 1]);
        check(&[&a, b"\r"], &[0]);
        check(&[&a, b" \0\0"], &[0]);
        check(&[b"\xef\xbb\xbf", &a], &[1]);
        check(&[b"", b"{\"crc\":\"\"}"], &[]);
    }

    #[test]
    fn a_record_nested_in_a_damaged_one_is_not_found() {
        let inner = String::from_utf8(record(9, "1")).expect("text");
        let mut outer = record(10, &format!("[{inner}]"));
        outer[3] ^= 1;
        check(&[&outer], &[]);
    }
}
