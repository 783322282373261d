//! A command's output in bounded memory.
//!
//! A build can print gigabytes. What people and models look at is the beginning and, above all, the
//! end, so these stay in memory; a spool file keeps more of the beginning for user interfaces.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

/// Bytes of the beginning kept in memory.
const HEAD: usize = 32 * 1024;

/// Bytes of the end kept in memory.
const TAIL: usize = 256 * 1024;

/// Bytes in the spool file, from the beginning of the output.
const SPOOL: u64 = 8 * 1024 * 1024;

/// The beginning and end of the output, exact counts, and the spool file once memory is full.
#[derive(Debug, Default)]
pub(crate) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    spool_dir: Option<PathBuf>,
    spool: Option<Spool>,
}

#[derive(Debug)]
struct Spool {
    file: File,
    bytes: u64,
}

/// The beginning and the end of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputWindow {
    /// The whole output if nothing was omitted.
    pub head: Vec<u8>,
    pub omitted_bytes: u64,
    /// Line feeds among the omitted bytes.
    pub omitted_lines: u64,
    /// Empty if nothing was omitted.
    pub tail: Vec<u8>,
}

/// A contiguous part of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSection {
    /// Offset of the first byte in the output.
    pub from: u64,
    /// Bytes between the requested offset and `from`, which are no longer in memory.
    pub lost: u64,
    pub bytes: Vec<u8>,
    /// Length of the output so far.
    pub total: u64,
}

impl OutputCapture {
    pub(crate) fn new(spool_dir: Option<PathBuf>) -> Self {
        Self {
            spool_dir,
            ..Self::default()
        }
    }

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

    /// Returns whether the text is in the part that is in memory.
    pub(crate) fn contains(&mut self, text: &[u8]) -> bool {
        let has = |part: &[u8]| memchr::memmem::find(part, text).is_some();
        has(&self.head) || has(self.tail.make_contiguous())
    }

    /// At most `head` bytes of the beginning and `tail` of the end, cut at UTF-8 boundaries.
    pub(crate) fn window(&self, head: usize, tail: usize) -> OutputWindow {
        if self.bytes <= (head + tail) as u64 && self.has_all() {
            return OutputWindow {
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
        OutputWindow {
            omitted_lines: self.lines - lines(&first) - lines(&last),
            omitted_bytes,
            head: first,
            tail: last,
        }
    }

    /// At most `limit` bytes from offset `since` on, or from the first later one still in memory.
    pub(crate) fn section(&self, since: u64, limit: usize) -> OutputSection {
        let tail_start = self.bytes - self.tail.len() as u64;
        let in_head = |at: u64| usize::try_from(at).ok().filter(|at| *at < self.head.len());
        let since = since.min(self.bytes);
        let (from, mut bytes) = match in_head(since) {
            Some(at) => (since, self.head[at..].iter().copied().take(limit).collect()),
            None => (since.max(tail_start), Vec::new()),
        };
        let next = from + bytes.len() as u64;
        if next >= tail_start && bytes.len() < limit {
            // Cannot fail: the tail is in memory.
            let at = usize::try_from(next - tail_start).unwrap_or(usize::MAX);
            let more = self.tail.iter().skip(at).take(limit - bytes.len());
            bytes.extend(more);
        }
        OutputSection {
            from,
            lost: from - since,
            bytes,
            total: self.bytes,
        }
    }

    /// The spool file's content and whether the output was longer; `None` without a spool file.
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

    /// Opens the spool file when the tail is about to drop its first bytes. Until then most commands
    /// have ended, and no file was needed.
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
            // A file with a hole would be taken for the output.
            Err(_) => self.spool = None,
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The length without an incomplete UTF-8 sequence at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// The number of UTF-8 continuation bytes at the beginning, whose first byte was cut off.
fn continuation(bytes: &[u8]) -> usize {
    let rest = bytes.iter().take(3);
    rest.take_while(|byte| (0x80..0xc0).contains(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_output_is_kept_whole() {
        let mut capture = OutputCapture::new(None);
        capture.push(b"one\ntwo\n");
        capture.push("drei: ü".as_bytes());
        let window = capture.window(10, 10);
        assert_eq!(window.head, "one\ntwo\ndrei: ü".as_bytes());
        assert_eq!((window.omitted_bytes, capture.lines), (0, 2));
        assert_eq!(capture.whole().unwrap(), None);
    }

    #[test]
    fn counts_stay_exact_when_the_middle_is_lost() {
        let mut capture = OutputCapture::new(None);
        for n in 0..100_000 {
            capture.push(format!("line {n}\n").as_bytes());
        }
        let window = capture.window(1000, 2000);
        let kept = window.head.len() + window.tail.len();
        assert_eq!((window.head.len(), window.tail.len()), (1000, 2000));
        assert_eq!(window.omitted_bytes + kept as u64, capture.bytes);
        let kept_lines = lines(&window.head) + lines(&window.tail);
        assert_eq!(window.omitted_lines + kept_lines, 100_000);
        assert!(window.tail.ends_with(b"line 99999\n"));
    }

    #[test]
    fn windows_are_cut_at_character_boundaries() {
        let mut capture = OutputCapture::new(None);
        capture.push("ü".repeat(100).as_bytes());
        let window = capture.window(11, 11);
        assert_eq!(String::from_utf8(window.head).unwrap(), "ü".repeat(5));
        assert_eq!(String::from_utf8(window.tail).unwrap(), "ü".repeat(5));
        assert_eq!(window.omitted_bytes, 180);
    }

    #[test]
    fn sections_report_lost_bytes() {
        let mut capture = OutputCapture::new(None);
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
        // Without a gap, a section spans head and tail.
        let mut capture = OutputCapture::new(None);
        capture.push(&output[..HEAD + 100]);
        let section = capture.section(HEAD as u64 - 10, 50);
        assert_eq!(section.bytes, output[HEAD - 10..HEAD + 40]);
    }

    #[test]
    fn long_output_is_spooled_up_to_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let mut capture = OutputCapture::new(Some(dir.path().to_owned()));
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
