//! Tables of mounts, as `/proc/PID/mountinfo` has them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// The places of mounts.
pub(crate) type Mounts = HashSet<PathBuf>;

/// The table of a process. It stays when the process has ended.
#[derive(Debug)]
pub(crate) struct MountTable(File);

impl MountTable {
    pub(crate) fn of(process: i32) -> Option<Self> {
        File::open(format!("/proc/{process}/mountinfo"))
            .ok()
            .map(Self)
    }

    /// The mounts that there are now.
    pub(crate) fn read(&self) -> Option<Mounts> {
        let (mut file, mut table) = (&self.0, Vec::new());
        file.rewind().ok()?;
        file.read_to_end(&mut table).ok()?;
        Some(MountLine::all(&table).map(|line| line.place).collect())
    }
}

/// A line of a table of mounts.
pub(crate) struct MountLine<'a> {
    pub(crate) place: PathBuf,
    pub(crate) options: &'a [u8],
    pub(crate) kind: &'a [u8],
}

impl<'a> MountLine<'a> {
    /// The lines of a whole table.
    pub(crate) fn all(table: &'a [u8]) -> impl Iterator<Item = Self> {
        table.split(|byte| *byte == b'\n').filter_map(Self::of)
    }

    fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let (place, options) = (fields.next()?, fields.next()?);
        // Optional fields come first.
        fields.find(|field| field == b"-")?;
        Some(Self {
            place: unescaped(place),
            options,
            kind: fields.next()?,
        })
    }
}

/// Spaces, tabs, newlines and backslashes are in the table as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let code = digits.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}
