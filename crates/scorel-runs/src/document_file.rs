use std::io;
use std::path::Path;

use scorel_home::trusted_file::{self, FileProblem, Trust};
use scorel_journal::{FileStorage, replace_file, replace_file_if};
use scorel_proto::ErrorChain;
use scorel_workflow::{MAX_DOCUMENT_BYTES, RunDocument};
use sha2::{Digest as _, Sha256};

use crate::error::RunError;
use crate::invalid_state::InvalidState;
use crate::run_dir::RunDir;

/// The text of a run's document, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentText {
    pub(crate) text: String,
    /// Of its bytes, in hexadecimal.
    pub(crate) sha256: String,
}

impl DocumentText {
    fn of(text: String) -> Self {
        let sha256 = format!("{:x}", Sha256::digest(&text));
        Self { text, sha256 }
    }
}

impl RunDir {
    /// Reads the document.
    ///
    /// # Errors
    /// Why there is no text.
    pub(crate) fn read_document(&self) -> Result<DocumentText, InvalidState> {
        read(&self.document())
    }

    /// Reads the last good state.
    ///
    /// # Errors
    /// Why there is no text.
    pub(crate) fn read_last_good(&self) -> Result<DocumentText, InvalidState> {
        read(&self.last_good())
    }

    /// Replaces the document, durably, unless it is another than the one that was read: `before`, or none. Returns the
    /// hash of the new one.
    pub(crate) fn write_document(
        &self,
        before: Option<&DocumentText>,
        document: &RunDocument,
    ) -> Result<String, RunError> {
        let path = self.document();
        let mut is_other = false;
        let replaced = replace_file_if(&FileStorage, &path, document.text().as_bytes(), || {
            let is = |before| self.read_document().as_ref() == Ok(before);
            is_other = !before.is_none_or(is);
            match is_other {
                true => Err(io::ErrorKind::Other.into()),
                false => Ok(()),
            }
        });
        if is_other {
            return Err(RunError::DocumentChanged);
        }
        replaced.map_err(RunError::io(&path))?;
        self.accept_document(document.text())?;
        Ok(DocumentText::of(document.text().to_owned()).sha256)
    }

    /// Keeps a text as the last good state.
    pub(crate) fn accept_document(&self, text: &str) -> Result<(), RunError> {
        let path = self.last_good();
        let kept = replace_file(&FileStorage, &path, text.as_bytes());
        kept.map_err(RunError::io(&path))
    }
}

fn read(path: &Path) -> Result<DocumentText, InvalidState> {
    let read = trusted_file::read(path, MAX_DOCUMENT_BYTES as u64, Trust::Untrusted);
    let read = read.map_err(|error| match error {
        FileProblem::TooLarge { .. } => {
            InvalidState::new(format!("it has more than {MAX_DOCUMENT_BYTES} bytes"))
        }
        error => InvalidState::new(ErrorChain(&error).to_string()),
    })?;
    let (_, bytes) = read.ok_or_else(|| InvalidState::new("it is not there"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        InvalidState::new(format!("it is not UTF-8 at byte {at}"))
    })?;
    Ok(DocumentText::of(text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use scorel_proto::RunId;

    use super::*;

    const TEXT: &str = "---\nworkflowType: notes\nschemaVersion: '1.1'\ncurrentNodeId: a\nstepsCompleted: []\n---\n";

    #[test]
    fn a_document_that_another_has_changed_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let dir = RunDir::of(home.path(), RunId::generate());
        dir.make().unwrap();
        assert_eq!(dir.read_document().unwrap_err().message, "it is not there");
        let document = RunDocument::parse(TEXT).unwrap();
        let sha256 = dir.write_document(None, &document).unwrap();
        let read = dir.read_document().unwrap();
        assert_eq!((read.text.as_str(), &read.sha256), (TEXT, &sha256));
        assert_eq!(fs::read_to_string(dir.last_good()).unwrap(), TEXT);
        fs::write(dir.document(), "mine").unwrap();
        let error = dir.write_document(Some(&read), &document).unwrap_err();
        assert!(matches!(error, RunError::DocumentChanged), "{error}");
        assert_eq!(fs::read_to_string(dir.document()).unwrap(), "mine");
        fs::write(dir.document(), [0xff]).unwrap();
        let error = dir.read_document().unwrap_err();
        assert_eq!(error.message, "it is not UTF-8 at byte 0");
    }
}
