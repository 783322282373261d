//! The output of a command, as much of it as is kept.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

/// How much of the beginning is kept in memory, in bytes.
const HEAD: usize = 32 * 1024;

/// How much of the end is kept in memory, in bytes.
const TAIL: usize = 256 * 1024;

/// How much is kept in the file if the output is larger than what is kept in memory, in bytes.
const SPOOL: u64 = 8 * 1024 * 1024;

/// Output in bounded memory: its beginning, its end and exact counts; in a file, more of it.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    lines: u64,
    spool_dir: Option<PathBuf>,
    spool: Option<Spool>,
}

#[derive(Debug)]
struct Spool {
    file: File,
    bytes: u64,
}

/// The beginning and the end of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The beginning; everything if nothing was left out.
    pub head: Vec<u8>,
    /// How many bytes are left out between the two.
    pub omitted_bytes: u64,
    /// How many line ends are left out between the two.
    pub omitted_lines: u64,
    /// The end; empty if nothing was left out.
    pub tail: Vec<u8>,
}

/// A part of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Where it begins, counted in bytes from the beginning of the output.
    pub from: u64,
    /// How many bytes between what was asked for and `from` are not kept any more.
    pub lost: u64,
    /// The part.
    pub bytes: Vec<u8>,
    /// How much output there was at that moment.
    pub total: u64,
}

impl Capture {
    pub(crate) fn new(spool_dir: Option<PathBuf>) -> Self {
        Self {
            spool_dir,
            ..Self::default()
        }
    }

    /// Adds what came out next.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        self.lines += lines(chunk);
        let (first, rest) = chunk.split_at(chunk.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(first);
        if self.tail.len() + rest.len() > TAIL {
            self.spill();
        }
        self.spool(rest);
        let kept = &rest[rest.len().saturating_sub(TAIL)..];
        let excess = (self.tail.len() + kept.len()).saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.tail.extend(kept);
    }

    /// How many bytes came out.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many line ends came out.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// At most `head` bytes of the beginning and `tail` of the end, cut between characters.
    pub(crate) fn window(&self, head: usize, tail: usize) -> Window {
        if self.bytes <= (head + tail) as u64 && self.has_all() {
            return Window {
                head: self.section(0, head + tail).bytes,
                omitted_bytes: 0,
                omitted_lines: 0,
                tail: Vec::new(),
            };
        }
        let mut first = self.head[..head.min(self.head.len())].to_vec();
        first.truncate(whole_characters(&first));
        let start = self.bytes.saturating_sub(tail.min(TAIL) as u64);
        let mut last = self.section(start.max(first.len() as u64), tail).bytes;
        last.drain(..continuation(&last));
        let omitted_bytes = self.bytes - (first.len() + last.len()) as u64;
        Window {
            omitted_lines: self.lines - lines(&first) - lines(&last),
            omitted_bytes,
            head: first,
            tail: last,
        }
    }

    /// At most `limit` bytes from the byte `since` on, or from the first later one that is kept.
    pub(crate) fn section(&self, since: u64, limit: usize) -> Section {
        let tail_start = self.bytes - self.tail.len() as u64;
        let in_head = |at: u64| usize::try_from(at).ok().filter(|at| *at < self.head.len());
        let since = since.min(self.bytes);
        let (from, mut bytes) = match in_head(since) {
            Some(at) => (since, self.head[at..].iter().copied().take(limit).collect()),
            None => (since.max(tail_start), Vec::new()),
        };
        let next = from + bytes.len() as u64;
        if next >= tail_start && bytes.len() < limit {
            // The tail is at most as long as memory allows.
            let at = usize::try_from(next - tail_start).unwrap_or(usize::MAX);
            let more = self.tail.iter().skip(at).take(limit - bytes.len());
            bytes.extend(more);
        }
        Section {
            from,
            lost: from - since,
            bytes,
            total: self.bytes,
        }
    }

    /// The whole output if it is not all in memory, up to a bound, and whether that was reached.
    /// Reads a file.
    pub(crate) fn whole(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let total = self.bytes;
        let Some(spool) = &mut self.spool else {
            return Ok(None);
        };
        spool.file.rewind()?;
        let mut content = Vec::new();
        spool.file.read_to_end(&mut content)?;
        let is_cut = (content.len() as u64) < total;
        Ok(Some((content, is_cut)))
    }

    fn has_all(&self) -> bool {
        self.bytes == (self.head.len() + self.tail.len()) as u64
    }

    /// Begins the file, once, when memory is about to lose something.
    fn spill(&mut self) {
        let Some(dir) = self.spool_dir.take() else {
            return;
        };
        let Ok(file) = tempfile::tempfile_in(dir) else {
            return;
        };
        self.spool = Some(Spool { file, bytes: 0 });
        let head = std::mem::take(&mut self.head);
        self.spool(&head);
        self.head = head;
        let tail = std::mem::take(&mut self.tail);
        let (first, second) = tail.as_slices();
        self.spool(first);
        self.spool(second);
        self.tail = tail;
    }

    fn spool(&mut self, chunk: &[u8]) {
        let Some(spool) = &mut self.spool else {
            return;
        };
        let room = usize::try_from(SPOOL - spool.bytes).unwrap_or(usize::MAX);
        let kept = &chunk[..chunk.len().min(room)];
        match spool.file.write_all(kept) {
            Ok(()) => spool.bytes += kept.len() as u64,
            // A part with a hole in it is worth nothing.
            Err(_) => self.spool = None,
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The length without a character that is cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// The length of the rest of a character that is cut at the beginning.
fn continuation(bytes: &[u8]) -> usize {
    let rest = bytes.iter().take(3);
    rest.take_while(|byte| (0x80..0xc0).contains(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut capture = Capture::new(None);
        capture.push(b"one\ntwo\n");
        capture.push("drei: ü".as_bytes());
        let window = capture.window(10, 10);
        assert_eq!(window.head, "one\ntwo\ndrei: ü".as_bytes());
        assert_eq!((window.omitted_bytes, capture.lines()), (0, 2));
        assert_eq!(capture.whole().unwrap(), None);
    }

    #[test]
    fn counts_stay_exact_when_the_middle_is_lost() {
        let mut capture = Capture::new(None);
        for n in 0..100_000 {
            capture.push(format!("line {n}\n").as_bytes());
        }
        let window = capture.window(1000, 2000);
        let kept = window.head.len() + window.tail.len();
        assert_eq!((window.head.len(), window.tail.len()), (1000, 2000));
        assert_eq!(window.omitted_bytes + kept as u64, capture.bytes());
        let kept_lines = lines(&window.head) + lines(&window.tail);
        assert_eq!(window.omitted_lines + kept_lines, 100_000);
        assert!(window.tail.ends_with(b"line 99999\n"));
    }

    #[test]
    fn nothing_is_cut_within_a_character() {
        let mut capture = Capture::new(None);
        capture.push("ü".repeat(100).as_bytes());
        let window = capture.window(11, 11);
        assert_eq!(String::from_utf8(window.head).unwrap(), "ü".repeat(5));
        assert_eq!(String::from_utf8(window.tail).unwrap(), "ü".repeat(5));
        assert_eq!(window.omitted_bytes, 180);
    }

    #[test]
    fn sections_say_what_is_lost() {
        let mut capture = Capture::new(None);
        let output: Vec<u8> = (0..400_000u32).map(|n| (n % 251) as u8).collect();
        output.chunks(7777).for_each(|chunk| capture.push(chunk));
        let section = capture.section(10, 100);
        assert_eq!((section.from, section.lost), (10, 0));
        assert_eq!(section.bytes, output[10..110]);
        let section = capture.section(HEAD as u64 + 5, 100);
        let kept_from = output.len() - TAIL;
        assert_eq!(section.from, kept_from as u64);
        assert_eq!(section.lost, (kept_from - HEAD - 5) as u64);
        assert_eq!(section.bytes, output[kept_from..kept_from + 100]);
        let section = capture.section(u64::MAX, 100);
        assert_eq!((section.from, section.bytes.len()), (400_000, 0));
        // Without a hole between them, the two parts are one.
        let mut capture = Capture::new(None);
        capture.push(&output[..HEAD + 100]);
        let section = capture.section(HEAD as u64 - 10, 50);
        assert_eq!(section.bytes, output[HEAD - 10..HEAD + 40]);
    }

    #[test]
    fn a_long_output_is_in_the_file_up_to_its_bound() {
        let dir = tempfile::tempdir().unwrap();
        let mut capture = Capture::new(Some(dir.path().to_owned()));
        let output: Vec<u8> = (0..600_000u32).map(|n| (n % 251) as u8).collect();
        output.chunks(65_536).for_each(|chunk| capture.push(chunk));
        assert_eq!(capture.whole().unwrap(), Some((output.clone(), false)));
        for _ in 0..20 {
            capture.push(&output);
        }
        let (content, is_cut) = capture.whole().unwrap().unwrap();
        assert_eq!((content.len() as u64, is_cut), (SPOOL, true));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
