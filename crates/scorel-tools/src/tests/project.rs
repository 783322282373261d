//! A project directory to try the tools on.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scorel_proto::Block;
use scorel_runtime::{ToolCall, ToolOutcome, Toolbox as _};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::ProjectTools;
use crate::error::ToolError;
use crate::pace::{Pace, TIME_LIMIT};
use crate::root::{Resolver, Root, RootName};
use crate::roots::Roots;
use crate::tool::{Call, Report, Tool};

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

    pub(super) fn tools(&self) -> ProjectTools {
        let root = Root::open_with(RootName::Project, &self.path(""), self.resolver).unwrap();
        ProjectTools::on(Roots::new(root))
    }

    /// Runs one call through the toolbox.
    pub(super) fn call(&self, name: &str, input: Value) -> Answer {
        call(&self.tools(), tool_call(name, input))
    }

    /// Runs a tool without the toolbox.
    pub(super) fn run(
        &self,
        tool: &dyn Tool,
        input: Value,
        cancel: CancellationToken,
        limit: Duration,
    ) -> Result<Report, ToolError> {
        let root = Root::open_with(RootName::Project, &self.path(""), self.resolver).unwrap();
        let call = Call {
            roots: Roots::new(root).into(),
            pace: Pace::new(cancel, limit),
        };
        tool.run(&call, input)
    }

    pub(super) fn call_context(&self) -> Call {
        let root = Root::open_with(RootName::Project, &self.path(""), self.resolver).unwrap();
        Call {
            roots: Roots::new(root).into(),
            pace: Pace::new(CancellationToken::new(), TIME_LIMIT * 60),
        }
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

pub(super) fn call(tools: &ProjectTools, call: ToolCall) -> Answer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let updates = watch::Sender::new(None);
    let outcome = runtime.block_on(tools.call(call, updates, CancellationToken::new()));
    Answer::new(outcome)
}

/// What a call gave.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) details: Value,
    pub(super) is_error: bool,
}

impl Answer {
    fn new(outcome: ToolOutcome) -> Self {
        let [Block::Text { text, .. }] = outcome.content.as_slice() else {
            panic!("one text block expected: {outcome:?}");
        };
        let details = outcome.details.unwrap();
        assert_eq!(details["ok"], json!(!outcome.is_error));
        Self {
            text: text.clone(),
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
