//! The format of one line: sealing it with `prev` and `crc`, and checking them.

use scorel_proto::Seq;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::{DamageReason, InvalidRecord, MAX_RECORD};

const KEY: &[u8] = b",\"crc\":\"";
const CLOSE: &[u8] = b"\"}";
/// Length of what the checksum does not cover: 18 bytes.
const TRAILER: usize = KEY.len() + 8 + CLOSE.len();

#[derive(Debug)]
pub(crate) struct SealedLine {
    /// With the newline.
    pub(crate) bytes: Vec<u8>,
    pub(crate) crc: u32,
}

/// The fields of a valid record that the journal needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordHead {
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

/// The top-level fields that the journal checks before it seals an object. serde refuses a duplicate
/// field: parsers disagree on which one counts.
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

/// Seals `json`, whose `seq` must be `seq`, as a record.
pub(crate) fn seal_record(json: Vec<u8>, seq: Seq, prev: Seq) -> Result<SealedLine, InvalidRecord> {
    let fields = unsealed(&json)?;
    if fields.seq != Some(seq) {
        return Err(InvalidRecord::Seq { expected: seq });
    }
    seal(json, &format!(",\"prev\":{prev}"))
}

/// Seals `json`, whose `format` must be `format`, as a header.
pub(crate) fn seal_header(json: Vec<u8>, format: u32) -> Result<SealedLine, InvalidRecord> {
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

fn seal(mut json: Vec<u8>, added: &str) -> Result<SealedLine, InvalidRecord> {
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
    Ok(SealedLine { bytes: json, crc })
}

/// Replaces the `prev` of the intact record `line` by `now`.
pub(crate) fn reseal_record(line: &str, prev: Seq, now: Seq) -> Result<SealedLine, InvalidRecord> {
    let covered = &line[..line.len() - TRAILER];
    let rest = covered
        .strip_suffix(&format!(",\"prev\":{prev}"))
        .ok_or(InvalidRecord::NotOneLine)?;
    seal(
        format!("{rest}}}").into_bytes(),
        &format!(",\"prev\":{now}"),
    )
}

/// Seals `json` as a line of a file that is not a session's log but is damaged and checked in the same
/// way.
///
/// # Errors
///
/// `json` is not an object on one line, has a `crc` already, or is too long.
pub fn seal_line(json: Vec<u8>) -> Result<Vec<u8>, InvalidRecord> {
    unsealed(&json)?;
    Ok(seal(json, "")?.bytes)
}

/// Verifies the checksum of any sealed line, given without its newline. The object is not parsed.
///
/// # Errors
///
/// The line does not end with a checksum, or with a wrong one.
pub fn check_line(line: &[u8]) -> Result<(), DamageReason> {
    verify(line).map(|_| ())
}

/// Verifies the checksum, and returns the bytes that it covers with it.
fn verify(line: &[u8]) -> Result<(&[u8], u32), DamageReason> {
    let (covered, crc) = split(line).ok_or(DamageReason::Malformed)?;
    if crc32c::crc32c(covered) != crc {
        return Err(DamageReason::Checksum);
    }
    Ok((covered, crc))
}

/// Splits a line into the covered bytes and the checksum after them.
pub(crate) fn split(line: &[u8]) -> Option<(&[u8], u32)> {
    let (covered, trailer) = line.split_at_checked(line.len().checked_sub(TRAILER)?)?;
    let digits = trailer.strip_prefix(KEY)?.strip_suffix(CLOSE)?;
    Some((covered, parse_crc(digits)?))
}

/// Lower-case digits only: bit 5 is the case of a letter, and flipping it must not go unnoticed.
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

/// Offsets in `bytes` after something that has the form of a checksum.
pub(crate) fn possible_ends(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memmem::find_iter(bytes, KEY)
        .map(|at| at + TRAILER)
        .filter(|&end| bytes.get(..end).is_some_and(|line| split(line).is_some()))
}

/// Checks a record's line, without its newline.
pub(crate) fn check_record(line: &[u8]) -> Result<RecordHead, DamageReason> {
    let (covered, crc) = verify(line)?;
    parse_record(line, covered, crc).ok_or(DamageReason::Malformed)
}

fn parse_record(line: &[u8], covered: &[u8], crc: u32) -> Option<RecordHead> {
    let text = std::str::from_utf8(line).ok()?;
    let RecordFields { seq, prev } = serde_json::from_str(text).ok()?;
    let placed = covered.ends_with(format!(",\"prev\":{prev}").as_bytes());
    (placed && seq > Seq::ZERO).then_some(RecordHead { seq, prev, crc })
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
    fn prev_and_crc_are_the_last_fields_of_a_sealed_record() {
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
    fn resealing_changes_prev_only() {
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
    fn objects_that_would_not_be_read_back_are_refused() {
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
    fn an_upper_case_checksum_is_malformed() {
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
