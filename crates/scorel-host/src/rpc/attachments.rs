//! Attachments: files of the project that the daemon reads when a message is sent.

mod refusal;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_engine::{Gatekeeper as _, Verdict, spawn_blocking};
use scorel_journal::BlobError;
use scorel_proto::{Attachment, AttachmentPath, AttachmentProblem, Block, ErrorChain, Session};
use scorel_session::Lane;
use scorel_tools::{
    AttachedContent, AttachedFile, ProjectTools, Root, RootName, Roots, SessionFiles, ToolHost,
};
use scorel_workplace::worktrees::work_dir;

pub(crate) use refusal::AttachmentRefusal;

use crate::host::Host;
use crate::rpc::call_error::CallError;
use crate::session_blobs::SessionBlobs;
use scorel_gate::{CommandPlace, Gate, GateSettings};

/// How many files one message may have.
const MAX_FILES: usize = 16;

/// How much text they may have together, in bytes: a message has to fit into a record of the log.
const MAX_TEXT: u64 = 1024 * 1024;

/// Reads the files for a message: all of them, or none. Pictures are stored when all were read.
pub(crate) async fn attachments(
    host: &Arc<Host>,
    lane: &Arc<Lane>,
    wanted: &[AttachmentPath],
) -> Result<Vec<Block>, CallError> {
    let Some(first) = wanted.first() else {
        return Ok(Vec::new());
    };
    if let Some(excess) = wanted.get(MAX_FILES) {
        let reason = format!("a message has at most {MAX_FILES} files");
        let refusal = AttachmentRefusal::new(&excess.path, AttachmentProblem::TooMany, reason);
        return Err(refusal.with_limit(MAX_FILES as u64).into());
    }
    lane.check_writable()?;
    let reader = {
        let (host, lane, first) = (Arc::clone(host), Arc::clone(lane), first.path.clone());
        spawn_blocking(move || AttachmentReader::of(&host, &lane, &first)).await??
    };
    let mut files = Vec::new();
    let mut text = 0;
    for AttachmentPath { path } in wanted {
        let file = reader.read(path).await?;
        if let AttachedContent::Text { text: it, .. } = &file.content {
            text += it.len() as u64;
        }
        if text > MAX_TEXT {
            let limit = MAX_TEXT / 1024;
            let reason = format!("the files have more than {limit} KiB of text together");
            let refusal = AttachmentRefusal::new(path, AttachmentProblem::TooLarge, reason);
            return Err(refusal.with_limit(MAX_TEXT).into());
        }
        files.push(file);
    }
    let lane = Arc::clone(lane);
    spawn_blocking(move || {
        let blocks = files.into_iter().map(|file| block(file, &lane));
        Ok(blocks.collect::<Result<_, _>>()?)
    })
    .await?
}

/// Reads files as the session's tools would. Nothing is asked: who attaches a file has decided that the
/// model may read it. What tools are denied is denied here.
struct AttachmentReader {
    files: Arc<SessionFiles>,
    gate: Gate,
}

impl AttachmentReader {
    /// Blocks on the disk. `first` is the path that an error names.
    fn of(host: &Host, lane: &Lane, first: &str) -> Result<Self, CallError> {
        let session = lane.session()?;
        let (project, dir) = directories(host, &session, first)?;
        let gate = gate_of_files(host, &project, &dir);
        let root = Root::open(RootName::Project, &dir);
        let root = root.map_err(|error| unusable(first, ErrorChain(&error).to_string()))?;
        let blobs = Arc::new(SessionBlobs(lane.blobs().clone()));
        let tools = ProjectTools::on(Roots::new(root), ToolHost::new(&host.home, blobs));
        Ok(Self {
            files: Arc::clone(tools.files()),
            gate,
        })
    }

    async fn read(&self, path: &str) -> Result<AttachedFile, CallError> {
        let refused = |error| AttachmentRefusal::of(path, &error);
        let (files, named) = (Arc::clone(&self.files), path.to_owned());
        let planned = spawn_blocking(move || files.plan_attachment(&named)).await?;
        let (effect, location) = planned.map_err(refused)?;
        // In a task of its own: it looks at the disk, and the connection's other calls must not wait for that.
        let verdict = tokio::spawn(self.gate.judge(&[effect], None)).await?;
        let permit = match verdict {
            Verdict::Allow(permit) | Verdict::Ask { permit, .. } => permit,
            Verdict::Refuse(reason) => {
                let reason = reason.strip_prefix("not run: ").unwrap_or(&reason);
                let refusal = AttachmentRefusal::new(path, AttachmentProblem::Denied, reason);
                return Err(refusal.into());
            }
        };
        let files = Arc::clone(&self.files);
        let read = spawn_blocking(move || files.attach(&location, &permit)).await?;
        Ok(read.map_err(refused)?)
    }
}

/// Judges the files that a person gives to a model: of a project, for work in `dir`. Blocks on the disk.
pub(super) fn gate_of_files(host: &Host, project: &Path, dir: &Path) -> Gate {
    let config = host.config.current(Some(project));
    let commands = &host.runners.commands;
    let settings = GateSettings {
        mode: config.permissions.mode,
        rules: config.permissions.rules.clone(),
        base_dirs: commands.base_dirs(dir),
        timeout: None,
        allow_at_timeout: false,
        commands: CommandPlace::Sandbox,
        hides_denied: commands.hides_denied(),
        channel: None,
    };
    Gate::new(settings).hiding(commands.hidden(&config, dir))
}

/// The project's directory, and the one that the session works in.
fn directories(
    host: &Host,
    session: &Session,
    first: &str,
) -> Result<(PathBuf, PathBuf), CallError> {
    let project = host.project(session.project_id)?;
    let dir = work_dir(&project, session.worktree());
    let dir = dir.map_err(|gone| unusable(first, gone.to_string()))?;
    Ok((PathBuf::from(project.work_dir), dir))
}

fn unusable(path: &str, reason: String) -> AttachmentRefusal {
    AttachmentRefusal::new(path, AttachmentProblem::Unreadable, reason)
}

fn block(file: AttachedFile, lane: &Lane) -> Result<Block, BlobError> {
    let (content, encoding) = match file.content {
        AttachedContent::Text { text, encoding } => (Block::text(text), encoding),
        AttachedContent::Picture {
            media_type,
            content,
        } => {
            let media_type = media_type.to_owned();
            let blob = lane.blobs().put(&content)?;
            (Block::Image { media_type, blob }, None)
        }
    };
    Ok(Block::Attachment(Attachment {
        path: file.path,
        size: file.size,
        encoding: encoding.map(str::to_owned),
        content: vec![content],
    }))
}
