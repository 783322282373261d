use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use scorel_proto::BlobHash;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

use super::{BLOBS, SUMS};

/// A file of a bundle to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleEntry {
    pub name: String,
    /// The hash in hexadecimal.
    pub sha256: String,
    /// The size in bytes.
    pub size: u64,
}

impl BundleEntry {
    pub fn blob(hash: &BlobHash, size: u64) -> Self {
        Self {
            name: format!("{BLOBS}{hash}"),
            sha256: hash.to_string(),
            size,
        }
    }
}

/// Writes a bundle. The same session gives the same bytes.
pub struct BundleWriter<W: Write> {
    archive: Builder<GzEncoder<W>>,
}

impl<W: Write> BundleWriter<W> {
    /// Begins a bundle with the list of its entries. Each is to be added in this order.
    ///
    /// # Errors
    ///
    /// What writing to `out` fails with.
    pub fn new(out: W, entries: &[BundleEntry]) -> io::Result<Self> {
        let encoder = GzEncoder::new(out, Compression::default());
        let mut writer = Self {
            archive: Builder::new(encoder),
        };
        let line = |entry: &BundleEntry| format!("{}  {}\n", entry.sha256, entry.name);
        let sums: String = entries.iter().map(line).collect();
        writer.add(SUMS, sums.len() as u64, sums.as_bytes())?;
        Ok(writer)
    }

    /// Adds a file of `size` bytes.
    ///
    /// # Errors
    ///
    /// What reading `content` or writing fails with.
    pub fn add(&mut self, name: &str, size: u64, content: impl Read) -> io::Result<()> {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_path(name)?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_cksum();
        self.archive.append(&header, content)
    }

    /// Ends the bundle and returns what it was written to.
    ///
    /// # Errors
    ///
    /// What writing fails with.
    pub fn finish(self) -> io::Result<W> {
        self.archive.into_inner()?.finish()
    }
}

impl<W: Write> std::fmt::Debug for BundleWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BundleWriter").finish_non_exhaustive()
    }
}

/// The SHA-256 of `content`, in hexadecimal, and its length in bytes.
///
/// # Errors
///
/// `content` cannot be read.
pub fn sha256_of(mut content: impl Read) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let size = io::copy(&mut content, &mut hasher)?;
    Ok((format!("{:x}", hasher.finalize()), size))
}
