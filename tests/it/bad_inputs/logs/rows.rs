//! The damage to apply to a healthy log, and the expected outcome.

use scorel_testkit::sealed;
use serde_json::Value;

use LogOutcome::{Damaged, Failed, Healthy, NewerFormat, Torn};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogOutcome {
    /// Valid: opening changes nothing, and the session goes on.
    Healthy,
    /// The torn tail is moved aside, and the session goes on.
    Torn,
    /// The damage is reported, nothing is changed, everything intact is served, and the session
    /// goes on once the damage is accepted.
    Damaged,
    /// The session is unusable, and nothing is changed.
    Failed,
    /// Read-only: every mutation is refused with an error that names the format.
    NewerFormat,
}

/// The lines of a healthy log with their newlines: the header and two turns.
pub(super) type Lines = Vec<Vec<u8>>;

/// A row: its name, the damage, the outcome, and how many records must be served in any case.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) change: fn(&mut Lines),
    pub(super) then: LogOutcome,
    pub(super) lost: usize,
}

const fn row(name: &'static str, then: LogOutcome, lost: usize, change: fn(&mut Lines)) -> Row {
    Row {
        name,
        change,
        then,
        lost,
    }
}

/// The record that rows damage, in the middle.
const MIDDLE: usize = 4;

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("untouched", Healthy, 0, |_| {}),
        row("B-49: 0 bytes", Failed, 0, Vec::clear),
        row("B-49: only a header", Healthy, usize::MAX, |lines| {
            lines.truncate(1);
        }),
        row("B-49: no header", Failed, 0, |lines| drop(lines.remove(0))),
        row("B-49: half a header", Failed, 0, |lines| {
            lines.truncate(1);
            lines[0].truncate(20);
        }),
        row("B-49: a header with a flipped bit", Failed, 0, |lines| {
            lines[0][30] ^= 1;
        }),
        row(
            "B-50: the last line without its newline",
            Torn,
            1,
            |lines| {
                lines.last_mut().unwrap().pop();
            },
        ),
        row("B-50: the last line cut in half", Torn, 1, |lines| {
            let half = lines.last().unwrap().len() / 2;
            lines.last_mut().unwrap().truncate(half);
        }),
        row("B-50: one byte of a line more", Torn, 0, |lines| {
            lines.push(b"{".to_vec());
        }),
        row(
            "B-51: half a line and a whole one behind it",
            Damaged,
            0,
            |lines| {
                let half = lines[MIDDLE][..40].to_vec();
                lines.insert(MIDDLE, half);
            },
        ),
        row("B-52: NULs on a line of their own", Damaged, 0, |lines| {
            lines.insert(MIDDLE, [vec![0; 512], vec![b'\n']].concat());
        }),
        row("B-52: NULs before a record", Damaged, 0, |lines| {
            lines.insert(MIDDLE, vec![0; 512]);
        }),
        row("B-52: NULs in place of a record", Damaged, 1, |lines| {
            let len = lines[MIDDLE].len() - 1;
            lines[MIDDLE][..len].fill(0);
        }),
        row("an empty line", Damaged, 0, |lines| {
            lines.insert(MIDDLE, b"\n".to_vec());
        }),
        row("B-53: a carriage return at every end", Failed, 0, |lines| {
            for line in lines {
                line.insert(line.len() - 1, b'\r');
            }
        }),
        row("B-53: a byte order mark", Failed, 0, |lines| {
            lines[0].splice(..0, *b"\xef\xbb\xbf");
        }),
        row("B-53: blanks behind a record", Damaged, 0, |lines| {
            let end = lines[MIDDLE].len() - 1;
            lines[MIDDLE].splice(end..end, *b"  ");
        }),
        row("a lost newline between two records", Damaged, 0, |lines| {
            lines[MIDDLE].pop();
        }),
        row("B-54: a record twice", Damaged, 0, |lines| {
            let line = lines[MIDDLE].clone();
            lines.insert(MIDDLE, line);
        }),
        row("B-54: two records swapped", Damaged, 1, |lines| {
            lines.swap(MIDDLE, MIDDLE + 1);
        }),
        row("B-54: a record missing", Damaged, 1, |lines| {
            lines.remove(MIDDLE);
        }),
        row("B-55: no checksum", Damaged, 1, |lines| {
            let end = lines[MIDDLE].len() - 19;
            lines[MIDDLE].truncate(end);
            lines[MIDDLE].extend(b"}\n");
        }),
        row("B-55: a flipped bit", Damaged, 1, |lines| {
            lines[MIDDLE][50] ^= 4;
        }),
        row("a flipped bit at the end", Damaged, 1, |lines| {
            lines.last_mut().unwrap()[50] ^= 4;
        }),
        row("B-56: a line of 5 MiB", Damaged, 0, |lines| {
            lines.insert(MIDDLE, [vec![b'x'; 5 << 20], vec![b'\n']].concat());
        }),
        row(
            "B-56: a sealed record with 100,000 keys",
            Healthy,
            0,
            |lines| {
                let keys: Vec<String> = (0..100_000).map(|key| format!("\"k{key}\":0")).collect();
                lines.push(record_after(lines, &keys.join(",")));
            },
        ),
        row(
            "B-57: a sealed record of an unknown type",
            Healthy,
            0,
            |lines| {
                lines.push(record_after(lines, "\"new\":{\"a\":[1,2.50,\"\\u00e9\"]}"));
            },
        ),
        row("B-57: a newer format", NewerFormat, 0, |lines| {
            let header = String::from_utf8(lines[0].clone()).unwrap();
            let (covered, _) = header.rsplit_once(",\"crc\"").unwrap();
            lines[0] =
                sealed(&(covered.replace("\"format\":1", "\"format\":2") + "}")).into_bytes();
        }),
        row("B-62: a time that is null", Healthy, 0, |lines| {
            lines.push(retimed(lines, "null"));
        }),
        row("B-62: a time before 1970", Healthy, 0, |lines| {
            lines.push(retimed(lines, "-62135596800000"));
        }),
        row("B-62: a time in the year 9999", Healthy, 0, |lines| {
            lines.push(retimed(lines, "253402300799999"));
        }),
        row(
            "B-64: a message that is its own parent",
            Healthy,
            0,
            |lines| {
                let own = "\"id\":\"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"parentId\":\"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV\"";
                lines.push(message_after(lines, own));
            },
        ),
    ]
}

pub(super) fn json_of(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap()
}

/// A sealed record of an unknown type after the last line.
fn record_after(lines: &Lines, fields: &str) -> Vec<u8> {
    behind(
        lines,
        "\"id\":\"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"parentId\":null",
        "1785542400000",
        &format!("\"type\":\"from_the_future\",{fields}"),
    )
}

fn retimed(lines: &Lines, ts: &str) -> Vec<u8> {
    behind(
        lines,
        "\"id\":\"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"parentId\":null",
        ts,
        "\"type\":\"custom\",\"name\":\"x\",\"data\":{}",
    )
}

fn message_after(lines: &Lines, ids: &str) -> Vec<u8> {
    let said = "\"type\":\"message\",\"message\":{\"role\":\"internal\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}";
    behind(lines, ids, "1785542400000", said)
}

fn behind(lines: &Lines, ids: &str, ts: &str, body: &str) -> Vec<u8> {
    let last = json_of(lines.last().unwrap());
    let (seq, session) = (last["seq"].as_u64().unwrap(), &last["sessionId"]);
    sealed(&format!(
        "{{{ids},\"seq\":{},\"sessionId\":{session},\"clientId\":\"daemon\",\"ts\":{ts},{body},\"prev\":{seq}}}",
        seq + 1
    ))
    .into_bytes()
}
