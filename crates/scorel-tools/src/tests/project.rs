//! A project directory to try the tools on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{BlobSink, Permit, ToolCall, ToolContext, ToolList, ToolOutcome};
use scorel_proto::{BlobHash, Block};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::ProjectTools;
use crate::error::ToolError;
use crate::file_plan::PlanFiles;
use crate::host::ToolHost;
use crate::pace::{Pace, TIME_LIMIT};
use crate::root::{Resolver, Root, RootName};
use crate::roots::Roots;
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;

/// Every way to resolve paths that works on this system.
pub(super) const RESOLVERS: &[Resolver] = &[
    #[cfg(target_os = "linux")]
    Resolver::Kernel,
    Resolver::Walk,
];

/// A temporary directory with the project `ws` and room beside it.
pub(super) struct Project {
    directory: tempfile::TempDir,
    resolver: Option<Resolver>,
}

impl Project {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("ws")).unwrap();
        Self {
            directory,
            resolver: None,
        }
    }

    /// As [`Project::new`], in memory where that is possible: for tests that write very often.
    pub(super) fn in_memory() -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let directory = directory.unwrap();
        fs::create_dir(directory.path().join("ws")).unwrap();
        Self {
            directory,
            resolver: None,
        }
    }

    pub(super) fn with_resolver(mut self, resolver: Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// A path in the project; `../x` is beside it.
    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join("ws").join(path)
    }

    pub(super) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    fn root(&self) -> Root {
        let mut root = Root::open(RootName::Project, &self.path("")).unwrap();
        root.resolver = self.resolver.unwrap_or(root.resolver);
        root
    }

    pub(super) fn tools(&self) -> ProjectTools {
        ProjectTools::on(Roots::new(self.root()), self.host())
    }

    /// Runs one call through the session's list.
    pub(super) fn call(&self, name: &str, input: Value) -> ToolAnswer {
        call(&self.tools(), tool_call(name, input))
    }

    /// Plans and runs a tool on the calling thread.
    pub(super) fn run(
        &self,
        tool: PlanFiles,
        input: Value,
        cancel: CancellationToken,
        limit: Duration,
    ) -> Result<ToolAnswer, ToolError> {
        let call = RunningCall {
            pace: Pace::new(cancel, limit),
            ..self.call_context()
        };
        run(tool, &call, input)
    }

    pub(super) fn call_context(&self) -> RunningCall {
        let files = Arc::new(SessionFiles::new(Roots::new(self.root()), self.host()));
        let pace = Pace::new(CancellationToken::new(), TIME_LIMIT * 60);
        RunningCall::new(files, Permit::default(), pace)
    }

    /// A daemon that lives in the project's directory `daemon` and keeps pictures beside the project.
    pub(super) fn host(&self) -> ToolHost {
        self.host_at(&self.path("daemon"))
    }

    /// A daemon that lives at `home`.
    pub(super) fn host_at(&self, home: &Path) -> ToolHost {
        let blobs = BlobDirectory(self.path("../blobs"));
        fs::create_dir_all(&blobs.0).unwrap();
        ToolHost::new(home, Arc::new(blobs))
    }

    /// The content of a file.
    pub(super) fn content(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The permissions of a file.
    pub(super) fn mode(&self, path: &str) -> u32 {
        let metadata = fs::metadata(self.path(path)).unwrap();
        metadata.permissions().mode() & 0o7777
    }

    pub(super) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The names in a directory.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Keeps pictures as files.
#[derive(Debug)]
struct BlobDirectory(PathBuf);

impl BlobSink for BlobDirectory {
    fn store(&self, content: &[u8]) -> std::io::Result<BlobHash> {
        let name = scorel_files::hash_of(content);
        fs::write(self.0.join(name.as_str()), content)?;
        Ok(name)
    }
}

/// A session that remembers what was read.
pub(super) struct Session {
    pub(super) tools: ProjectTools,
    /// What the gate grants to every call.
    pub(super) permit: Permit,
}

impl Session {
    pub(super) fn on(project: &Project) -> Self {
        Self {
            tools: project.tools(),
            permit: Permit::default(),
        }
    }

    pub(super) fn call(&self, name: &str, input: Value) -> ToolAnswer {
        self.call_with(name, input, self.permit.clone())
    }

    pub(super) fn call_with(&self, name: &str, input: Value, permit: Permit) -> ToolAnswer {
        call_with(&self.tools, tool_call(name, input), permit)
    }

    pub(super) fn read(&self, path: &str) -> ToolAnswer {
        self.call("Read", json!({ "path": path }))
    }

    pub(super) fn write(&self, path: &str, content: &str) -> ToolAnswer {
        self.call("Write", json!({ "path": path, "content": content }))
    }

    /// One replacement.
    pub(super) fn edit(&self, path: &str, old: &str, new: &str) -> ToolAnswer {
        self.edits(path, json!([{ "oldString": old, "newString": new }]))
    }

    pub(super) fn edits(&self, path: &str, edits: Value) -> ToolAnswer {
        let mut input = json!({ "path": path });
        input["edits"] = edits;
        self.call("Edit", input)
    }
}

pub(super) fn tool_call(name: &str, input: Value) -> ToolCall {
    ToolCall {
        id: "call_1".to_owned(),
        name: name.to_owned(),
        input,
        invalid_input: None,
    }
}

/// Plans and runs a tool on the calling thread.
pub(super) fn run(
    tool: PlanFiles,
    call: &RunningCall,
    input: Value,
) -> Result<ToolAnswer, ToolError> {
    tool(&call.files, input)?.run(call).map(ToolAnswer::new)
}

pub(super) fn call(tools: &ProjectTools, call: ToolCall) -> ToolAnswer {
    call_with(tools, call, Permit::default())
}

pub(super) fn call_with(tools: &ProjectTools, call: ToolCall, permit: Permit) -> ToolAnswer {
    let list = ToolList::new(tools.list()).unwrap();
    ToolAnswer::new(block_on(async {
        let plan = list.plan(call).await;
        plan.run(permit, context()).await
    }))
}

/// A context whose updates are not read.
pub(super) fn context() -> ToolContext {
    ToolContext {
        updates: watch::Sender::new(None),
        cancel: CancellationToken::new(),
    }
}

pub(super) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(work)
}

/// What a call gave.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub(super) text: String,
    pub(super) picture: Option<Block>,
    pub(super) details: Value,
    pub(super) is_error: bool,
}

impl ToolAnswer {
    pub(super) fn new(outcome: ToolOutcome) -> Self {
        let (text, picture) = match outcome.content.as_slice() {
            [Block::Text { text, .. }] => (text, None),
            [Block::Text { text, .. }, picture] => (text, Some(picture.clone())),
            _ => panic!("a text block expected: {outcome:?}"),
        };
        let details = outcome.details.unwrap();
        assert_eq!(details["ok"], json!(!outcome.is_error));
        Self {
            text: text.clone(),
            picture,
            details,
            is_error: outcome.is_error,
        }
    }

    /// The error's code; panics if the call worked.
    pub(super) fn code(&self) -> &str {
        assert!(self.is_error, "no error: {self:?}");
        self.details["error"]["code"].as_str().unwrap()
    }

    /// The text of a call that worked.
    pub(super) fn ok(&self) -> &str {
        assert!(!self.is_error, "error: {self:?}");
        &self.text
    }
}
