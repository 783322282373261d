//! The file of an import: opened, hashed and recognised.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use scorel_fs::open_linked;

use crate::bundle::{BundleProblem, sha256_of};
use crate::transcript::{Transcript, TranscriptProblem};

/// The longest file in bytes.
const MAX_FILE: u64 = 1024 * 1024 * 1024;

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file that can be imported.
#[derive(Debug)]
pub struct ImportFile {
    /// In hexadecimal.
    pub sha256: String,
    pub content: ImportContent,
}

/// The format of a file, by its first bytes.
#[derive(Debug)]
pub enum ImportContent {
    Bundle(File),
    Transcript(Transcript),
}

/// The reason why a file is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    #[error("{path} is not a regular file")]
    NotRegular { path: PathBuf },
    #[error("{path} cannot be read: {source}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the file is longer than {limit} bytes")]
    TooLarge {
        /// In bytes.
        limit: u64,
    },
    #[error(transparent)]
    Bundle(#[from] BundleProblem),
    #[error(transparent)]
    Transcript(#[from] TranscriptProblem),
}

impl ImportFile {
    /// Blocks on the disk. Bytes appended to the file after this began are not read.
    ///
    /// # Errors
    /// It cannot be read, is too long, or is of no format that is known.
    pub fn open(text: &str) -> Result<Self, ImportError> {
        let path = Path::new(text);
        if !path.is_absolute() {
            return Err(ImportError::NotAbsolute(text.to_owned()));
        }
        let io = |source| ImportError::Io {
            path: path.to_owned(),
            source,
        };
        let opened = open_linked(File::options().read(true), path);
        let mut file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => ImportError::NotRegular {
                path: path.to_owned(),
            },
            _ => io(error),
        })?;
        let len = file.metadata().map_err(io)?.len();
        if len > MAX_FILE {
            return Err(ImportError::TooLarge { limit: MAX_FILE });
        }
        let (sha256, read) = sha256_of((&file).take(len)).map_err(io)?;
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        let mut start = [0; GZIP.len()];
        let count = file.read_at(&mut start, 0).map_err(io)?;
        let content = if start[..count] == GZIP {
            ImportContent::Bundle(file)
        } else {
            ImportContent::Transcript(Transcript::recognise(file, read)?)
        };
        Ok(Self { sha256, content })
    }
}
