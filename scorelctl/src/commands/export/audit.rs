use std::collections::BTreeSet;
use std::ops::AddAssign;

use scorel_proto::{Event, SessionId, counted};
use scorel_transfer::audit::{AuditLine, Redaction, SessionAudit, ToolBlobs};

use super::export_file::ExportFile;
use crate::commands::blob;
use crate::commands::records::Records;
use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// The model calls of sessions that were written for an auditor.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct AuditedCalls {
    all: usize,
    /// Those whose request is not what its record says.
    differing: usize,
}

impl AddAssign for AuditedCalls {
    fn add_assign(&mut self, more: Self) {
        self.all += more.all;
        self.differing += more.differing;
    }
}

impl AuditedCalls {
    /// For people; `None` if all is as it was.
    pub(crate) fn warning(self) -> Option<String> {
        let text = || {
            format!(
                "{} of {}: the log does not say what the model was asked; see `proof`",
                self.differing,
                counted(self.all, "model call")
            )
        };
        (self.differing > 0).then(text)
    }
}

/// Writes the model calls of a session, one a line.
pub(crate) async fn write(
    session_id: SessionId,
    redaction: Option<&Redaction>,
    control: &mut DaemonClient,
    file: &mut ExportFile,
) -> Result<AuditedCalls, Failure> {
    let tools = tools(session_id, control).await?;
    let mut audit = SessionAudit::new(&tools);
    let mut records = Records::all(session_id);
    let mut calls = AuditedCalls::default();
    while let Some((_, event)) = records.next(control).await? {
        if let Event::Persistent(event) = event
            && let Some(line) = audit.add(&event)
        {
            calls.write(&line, redaction, file)?;
        }
    }
    if let Some(line) = audit.end() {
        calls.write(&line, redaction, file)?;
    }
    Ok(calls)
}

impl AuditedCalls {
    fn write(
        &mut self,
        line: &AuditLine,
        redaction: Option<&Redaction>,
        file: &mut ExportFile,
    ) -> Result<(), Failure> {
        self.all += 1;
        self.differing += usize::from(!line.proof.matches);
        let mut line = serde_json::to_value(line).map_err(std::io::Error::from)?;
        if let Some(redaction) = redaction {
            redaction.clean(&mut line);
        }
        Ok(file.line(&line.to_string())?)
    }
}

/// The tools of the session's requests. A blob that is missing is told by the lines that need it.
async fn tools(session_id: SessionId, control: &mut DaemonClient) -> Result<ToolBlobs, Failure> {
    let mut wanted = BTreeSet::new();
    let mut records = Records::all(session_id);
    while let Some((_, event)) = records.next(control).await? {
        if let Event::Persistent(event) = event {
            ToolBlobs::named_by(&event, &mut wanted);
        }
    }
    let mut tools = ToolBlobs::default();
    for name in wanted {
        let content = blob::content(session_id, &name, control).await;
        if let Some(content) = blob::unless_missing(content)? {
            tools.insert(name, &content);
        }
    }
    Ok(tools)
}
