use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Where an export goes: a file, which gets its name when it is whole, or standard output.
#[derive(Debug)]
pub(crate) enum ExportFile {
    Named {
        /// The file until it is whole, with mode 0600.
        temporary: BufWriter<NamedTempFile>,
        path: PathBuf,
        force: bool,
    },
    Output(BufWriter<io::Stdout>),
}

impl ExportFile {
    /// Fails at once if the file exists, before anything is read.
    pub(crate) fn create(path: &Path, force: bool, output: &mut Output) -> Result<Self, Failure> {
        if path == Path::new("-") {
            output.flush()?;
            return Ok(Self::Output(BufWriter::new(io::stdout())));
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        let temporary = NamedTempFile::new_in(dir.unwrap_or(Path::new(".")));
        let temporary = temporary.map_err(|error| failed(path, &error))?;
        Ok(Self::Named {
            temporary: BufWriter::new(temporary),
            path: path.to_owned(),
            force,
        })
    }

    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())?;
        self.write_all(b"\n")
    }

    /// Ends the export. Returns whether it went to a file.
    pub(crate) fn finish(self) -> Result<bool, Failure> {
        let (temporary, path, force) = match self {
            Self::Named {
                temporary,
                path,
                force,
            } => (temporary, path, force),
            Self::Output(mut out) => {
                out.flush()?;
                return Ok(false);
            }
        };
        let temporary = temporary.into_inner().map_err(|error| error.into_error());
        let temporary = temporary.map_err(|error| failed(&path, &error))?;
        let synced = temporary.as_file().sync_all();
        synced.map_err(|error| failed(&path, &error))?;
        let named = if force {
            temporary.persist(&path)
        } else {
            temporary.persist_noclobber(&path)
        };
        match named {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&path)),
            Err(error) => Err(failed(&path, &error.error)),
        }
    }
}

impl Write for ExportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Named { temporary, .. } => temporary.write(bytes),
            Self::Output(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Named { temporary, .. } => temporary.flush(),
            Self::Output(out) => out.flush(),
        }
    }
}

fn exists(path: &Path) -> Failure {
    let message = format!("{} exists", path.display());
    Failure::refused("file_exists", message).hint("--force replaces it")
}

/// `error` may name the temporary file, which is none of the user's.
fn failed(path: &Path, error: &io::Error) -> Failure {
    let text = error.to_string();
    let cause = text.split(" at path ").next().unwrap_or(&text);
    let message = format!("cannot write {}: {cause}", path.display());
    Failure::new(Exit::Internal, "filesystem_error", message)
}
