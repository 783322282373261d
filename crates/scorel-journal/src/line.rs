//! One line of a journal: how it is sealed and how it is checked.

use scorel_proto::Seq;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::{DamageReason, InvalidRecord, MAX_RECORD};

/// What stands between the bytes that the checksum covers and the checksum.
const KEY: &[u8] = b",\"crc\":\"";
/// What stands after the checksum.
const CLOSE: &[u8] = b"\"}";
/// The length of everything that the checksum does not cover.
const TRAILER: usize = KEY.len() + 8 + CLOSE.len();

/// A complete line, ready to be written.
#[derive(Debug)]
pub(crate) struct Sealed {
    /// The line with its newline.
    pub(crate) bytes: Vec<u8>,
    /// The checksum that it states.
    pub(crate) crc: u32,
}

/// What a valid record says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) seq: Seq,
    pub(crate) prev: Seq,
    pub(crate) crc: u32,
}

#[derive(Deserialize)]
struct RecordFields {
    seq: Seq,
    #[serde(default)]
    prev: Seq,
}

/// The fields that an object must or must not have before it is sealed.
#[derive(Deserialize)]
struct Unsealed {
    seq: Option<Seq>,
    format: Option<u32>,
    #[serde(default, deserialize_with = "present")]
    prev: bool,
    #[serde(default, deserialize_with = "present")]
    crc: bool,
}

#[derive(Deserialize)]
struct HeaderFields {
    format: u32,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

/// Completes the object `json`, which must have the number `seq`, to a record's line.
pub(crate) fn seal_record(json: Vec<u8>, seq: Seq, prev: Seq) -> Result<Sealed, InvalidRecord> {
    let fields = unsealed(&json)?;
    if fields.seq != Some(seq) {
        return Err(InvalidRecord::Seq { expected: seq });
    }
    seal(json, &format!(",\"prev\":{prev}"))
}

/// Completes the object `json`, which must have the format `format`, to a header line.
pub(crate) fn seal_header(json: Vec<u8>, format: u32) -> Result<Sealed, InvalidRecord> {
    let fields = unsealed(&json)?;
    if fields.format != Some(format) {
        return Err(InvalidRecord::Format { expected: format });
    }
    seal(json, "")
}

fn unsealed(json: &[u8]) -> Result<Unsealed, InvalidRecord> {
    if json.len() > MAX_RECORD {
        return Err(InvalidRecord::TooLarge { len: json.len() });
    }
    let one_line = json.starts_with(b"{") && json.ends_with(b"}");
    if !one_line || memchr::memchr(b'\n', json).is_some() {
        return Err(InvalidRecord::NotOneLine);
    }
    let text = std::str::from_utf8(json).map_err(|_| InvalidRecord::NotOneLine)?;
    let fields: Unsealed = serde_json::from_str(text)?;
    if fields.prev || fields.crc {
        return Err(InvalidRecord::Sealed);
    }
    Ok(fields)
}

fn seal(mut json: Vec<u8>, added: &str) -> Result<Sealed, InvalidRecord> {
    json.reserve_exact(added.len() + TRAILER);
    json.pop();
    json.extend_from_slice(added.as_bytes());
    let crc = crc32c::crc32c(&json);
    json.extend_from_slice(KEY);
    json.extend_from_slice(format!("{crc:08x}").as_bytes());
    json.extend_from_slice(CLOSE);
    if json.len() > MAX_RECORD {
        return Err(InvalidRecord::TooLarge { len: json.len() });
    }
    json.push(b'\n');
    Ok(Sealed { bytes: json, crc })
}

/// The intact record `line`, which says that it follows `prev`, as one that follows `now`.
pub(crate) fn reseal_record(line: &str, prev: Seq, now: Seq) -> Result<Sealed, InvalidRecord> {
    let covered = &line[..line.len() - TRAILER];
    let rest = covered
        .strip_suffix(&format!(",\"prev\":{prev}"))
        .ok_or(InvalidRecord::NotOneLine)?;
    seal(
        format!("{rest}}}").into_bytes(),
        &format!(",\"prev\":{now}"),
    )
}

/// Completes the object `json` to a line with a checksum, for a file that is not a session's log
/// and whose lines are damaged and checked in the same way.
///
/// # Errors
///
/// `json` is not an object on one line, has a `crc` already, or is too long.
pub fn seal_line(json: Vec<u8>) -> Result<Vec<u8>, InvalidRecord> {
    unsealed(&json)?;
    Ok(seal(json, "")?.bytes)
}

/// Checks the checksum of a line of any kind, given without its newline. What the line says is not
/// looked at.
///
/// # Errors
///
/// The line does not end with a checksum, or with another one.
pub fn check_line(line: &[u8]) -> Result<(), DamageReason> {
    verify(line).map(|_| ())
}

/// The bytes that the checksum covers, and the checksum, if it is right.
fn verify(line: &[u8]) -> Result<(&[u8], u32), DamageReason> {
    let (covered, crc) = split(line).ok_or(DamageReason::Malformed)?;
    if crc32c::crc32c(covered) != crc {
        return Err(DamageReason::Checksum);
    }
    Ok((covered, crc))
}

/// Separates the bytes that a line's checksum covers from the checksum it states.
pub(crate) fn split(line: &[u8]) -> Option<(&[u8], u32)> {
    let (covered, trailer) = line.split_at_checked(line.len().checked_sub(TRAILER)?)?;
    let digits = trailer.strip_prefix(KEY)?.strip_suffix(CLOSE)?;
    Some((covered, parse_crc(digits)?))
}

/// Only lower-case digits count, or a flipped bit that changes the case would go unnoticed.
fn parse_crc(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(value << 4 | u32::from(digit))
    })
}

/// Ends of the places in `bytes` that look like the end of a line.
pub(crate) fn possible_ends(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memmem::find_iter(bytes, KEY)
        .map(|at| at + TRAILER)
        .filter(|&end| bytes.get(..end).is_some_and(|line| split(line).is_some()))
}

/// Checks a record's line, without its newline.
pub(crate) fn check_record(line: &[u8]) -> Result<Head, DamageReason> {
    let (covered, crc) = verify(line)?;
    parse_record(line, covered, crc).ok_or(DamageReason::Malformed)
}

fn parse_record(line: &[u8], covered: &[u8], crc: u32) -> Option<Head> {
    let text = std::str::from_utf8(line).ok()?;
    let RecordFields { seq, prev } = serde_json::from_str(text).ok()?;
    let placed = covered.ends_with(format!(",\"prev\":{prev}").as_bytes());
    (placed && seq > Seq::ZERO).then_some(Head { seq, prev, crc })
}

/// Checks a header line, without its newline, and returns its format.
pub(crate) fn check_header(line: &[u8]) -> Result<u32, DamageReason> {
    verify(line)?;
    let text = std::str::from_utf8(line).map_err(|_| DamageReason::Malformed)?;
    let HeaderFields { format } =
        serde_json::from_str(text).map_err(|_| DamageReason::Malformed)?;
    Ok(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(value: u64) -> Seq {
        Seq::new(value).expect("in range")
    }

    #[test]
    fn a_sealed_record_states_its_predecessor_and_its_checksum_last() {
        let sealed =
            seal_record(br#"{"seq":7,"text":"hi"}"#.to_vec(), seq(7), seq(4)).expect("valid");
        let line = std::str::from_utf8(&sealed.bytes).expect("text");
        let covered = r#"{"seq":7,"text":"hi","prev":4"#;
        let crc = crc32c::crc32c(covered.as_bytes());
        assert_eq!(line, format!("{covered},\"crc\":\"{crc:08x}\"}}\n"));
        let head = check_record(&sealed.bytes[..line.len() - 1]).expect("valid");
        assert_eq!((head.seq, head.prev, head.crc), (seq(7), seq(4), crc));
    }

    #[test]
    fn a_record_with_another_predecessor_is_otherwise_the_same() {
        let seal = |prev| {
            seal_record(
                br#"{"seq":70,"a":",\"prev\":4"}"#.to_vec(),
                seq(70),
                seq(prev),
            )
        };
        let before = String::from_utf8(seal(4).expect("valid").bytes).expect("text");
        let resealed = reseal_record(before.trim_end(), seq(4), seq(69)).expect("resealed");
        assert_eq!(resealed.bytes, seal(69).expect("valid").bytes);
    }

    #[test]
    fn what_could_not_be_read_back_is_not_sealed() {
        for json in [
            "",
            "{}",
            "[1]",
            "{\"seq\":1}",
            "{\"seq\":7}\n",
            " {\"seq\":7}",
            "{\"seq\":7,\n\"a\":1}",
            "{\"seq\":7,\"prev\":null}",
            "{\"seq\":7,\"crc\":\"\"}",
            "{\"seq\":7,\"seq\":7}",
            "{\"seq\":7,}",
            "{\"a\":{\"seq\":7}}",
        ] {
            assert!(
                seal_record(json.into(), seq(7), seq(4)).is_err(),
                "{json:?} was sealed"
            );
        }
        assert!(seal_record(b"{\"seq\":7,\"a\":\"\xff\"}".to_vec(), seq(7), seq(4)).is_err());
    }

    #[test]
    fn a_checksum_in_capitals_is_not_the_same_checksum() {
        let sealed = (1..100)
            .map(|n| {
                seal_record(format!("{{\"seq\":{n}}}").into(), seq(n), seq(n - 1)).expect("valid")
            })
            .find(|sealed| format!("{:08x}", sealed.crc).contains(|c: char| c.is_alphabetic()))
            .expect("most checksums have a letter");
        let mut line = sealed.bytes[..sealed.bytes.len() - 1].to_vec();
        let at = line.len() - 10;
        line[at..at + 8].make_ascii_uppercase();
        assert_eq!(check_record(&line), Err(DamageReason::Malformed));
    }
}
