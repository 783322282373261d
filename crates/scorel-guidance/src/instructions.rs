//! The system prompt: parts from the daemon, the user and the project, frozen when a session begins.
//!
//! In: directory, model, tools, configuration and the files of the chain, as they are now. Out: the parts
//! within their budget, which the first turn freezes, and later a message about the changes.

mod chain;
mod changes;
mod deeper;
mod draft;
mod environment;
mod guide_file;
mod submodules;

use std::path::Path;

use scorel_engine::{ModelInfo, ToolList};
use scorel_proto::{InstructionPart, TokenEstimate};
use scorel_runner::WireKind;
use scorel_workplace::worktrees::as_data;

pub use changes::guidance;
pub use deeper::DeeperGuides;
pub use environment::Access;

use chain::{chain, repository};
use draft::{PartDraft, within_budget};
use environment::{environment, permissions};
use guide_file::GuideFile;

/// The part that is the same for every session and model. `instructions.reasons.md` beside it says why
/// each of its rules is there.
const BASE: &str = include_str!("instructions.md");

/// The share of the model's window that the parts may take, in percent.
const BUDGET_PERCENT: u64 = 15;

/// Entries of the project's directory in the prompt.
const MAX_ENTRIES: usize = 60;

/// What the instructions of a session are made of.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "a closure has none")]
pub struct InstructionSources<'a> {
    /// The daemon's home.
    pub home: &'a Path,
    pub project: &'a Path,
    pub model: &'a ModelInfo,
    pub tools: &'a ToolList,
    pub access: Access,
    /// Describes the repository, if there is one, by running git. Set for a snapshot only, which also lists
    /// the project's directory.
    pub beginning: Option<&'a dyn Fn() -> Option<String>>,
    /// `[prompt] text` of the configuration.
    pub prompt: Option<&'a str>,
    /// `prompt` of the agent that works in the session.
    pub role: Option<&'a str>,
    /// The rules of the workflow run that the session belongs to.
    pub run: Option<&'a str>,
}

/// The parts of the prompt, as they are now. Reads files.
pub fn instructions(sources: InstructionSources<'_>) -> Vec<InstructionPart> {
    let InstructionSources { model, project, .. } = sources;
    let root = repository(project);
    let mut drafts = vec![
        PartDraft::fixed("base", BASE.trim().to_owned()),
        PartDraft::fixed("environment", environment(project, root.is_some(), model)),
        PartDraft::fixed("permissions", permissions(sources.access)),
    ];
    if let Some(describe) = sources.beginning {
        drafts.push(PartDraft::cuttable("workspace", workspace(project), 90));
        if let Some(text) = root.and_then(|_| describe()) {
            drafts.push(PartDraft::cuttable("repository", text, 90));
        }
    }
    if let Some(text) = sources.prompt.filter(|text| !text.trim().is_empty()) {
        drafts.push(PartDraft::cuttable("prompt", text.trim().to_owned(), 80));
    }
    if let Some(text) = sources.role.filter(|text| !text.trim().is_empty()) {
        drafts.push(PartDraft::cuttable("role", text.trim().to_owned(), 80));
    }
    if let Some(text) = sources.run {
        drafts.push(PartDraft::fixed("workflow", text.trim().to_owned()));
    }
    drafts.extend(chain(sources.home, project, root).into_iter().map(agents));
    if let Some(text) = tools(sources.tools) {
        drafts.push(PartDraft::cuttable("tools", text, 60));
    }
    let budget = model.context_window * BUDGET_PERCENT / 100;
    within_budget(drafts, TokenEstimate::of_tokens(budget))
}

/// The instruction files of the user and the project, for a foreign agent that does not read them itself:
/// Claude Code has its own one among the settings of the project, which are not loaded, since hooks of the
/// project would run. The others read `AGENTS.md`.
pub fn guides(wire: WireKind, home: &Path, project: &Path) -> Option<String> {
    if wire != WireKind::ClaudeCode {
        return None;
    }
    let files = chain(home, project, repository(project));
    let drafts = files.into_iter().map(agents).collect();
    let parts = within_budget(drafts, TokenEstimate::of_tokens(u64::from(u32::MAX)));
    let texts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn agents(file: GuideFile) -> PartDraft {
    let path = file.path.display().to_string();
    match file.content {
        Ok(content) => {
            let mut text = format!("Instructions from {path}:\n\n{}", content.text.trim_end());
            if content.cut_bytes > 0 {
                let cut = content.cut_bytes;
                text.push_str(&format!("\n[{cut} more bytes; read the file for the rest]"));
            }
            let draft = PartDraft::cuttable("agents", text, 70);
            draft.read_from(path, Some(content.sha256), content.cut_bytes)
        }
        Err(problem) => {
            let text = format!("[Instructions in {path} were not read: {problem}]");
            PartDraft::cuttable("agents", text, 70).read_from(path, None, 0)
        }
    }
}

/// The first level of the project, so that the model need not list it to find its way.
fn workspace(dir: &Path) -> String {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name() != ".git")
        .map(|entry| {
            let is_dir = entry.file_type().is_ok_and(|it| it.is_dir());
            let name = entry.file_name().to_string_lossy().into_owned();
            format!("{}{}", as_data(&name), if is_dir { "/" } else { "" })
        })
        .collect();
    names.sort();
    let more = names.len().saturating_sub(MAX_ENTRIES);
    names.truncate(MAX_ENTRIES);
    let mut list = if names.is_empty() {
        "(empty)".to_owned()
    } else {
        names.join("\n")
    };
    if more > 0 {
        list.push_str(&format!("\n({more} more)"));
    }
    format!("<workspace>\nThe project's directory when the session began:\n{list}\n</workspace>")
}

/// What holds for the tools together; each has a description of its own besides.
fn tools(tools: &ToolList) -> Option<String> {
    let names: Vec<&str> = tools.specs().map(|spec| spec.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    let has = |name: &str| names.contains(&name);
    let mut text = format!("<tools>\nYour tools are {}.", names.join(", "));
    if has("Read") {
        text.push_str("\nPaths in calls are relative to the working directory.");
    }
    text.push_str("\n</tools>");
    Some(text)
}

#[cfg(test)]
mod tests {
    use scorel_permission::Mode;

    use super::*;

    /// Every request of every session carries it.
    #[test]
    fn the_base_prompt_keeps_within_its_budget() {
        let tokens = TokenEstimate::of_text(BASE).tokens();
        assert!((1_000..=2_500).contains(&tokens), "{tokens} tokens");
        for section in ["Todo", "AGENTS.md", "<system-reminder>", "# Git"] {
            assert!(BASE.contains(section), "{section}");
        }
    }

    fn model(context_window: u64) -> ModelInfo {
        ModelInfo {
            provider: "demo".into(),
            id: "demo".into(),
            context_window,
            max_output_tokens: 1,
            price: None,
        }
    }

    fn parts(project: &Path, home: &Path, window: u64) -> Vec<InstructionPart> {
        instructions(InstructionSources {
            home,
            project,
            model: &model(window),
            tools: &ToolList::default(),
            access: Access {
                mode: Mode::Workspace,
                has_sandbox: true,
                has_caches: false,
            },
            beginning: Some(&|| Some("branch: main".to_owned())),
            prompt: Some("Speak plainly."),
            role: None,
            run: None,
        })
    }

    #[test]
    fn the_parts_come_in_their_order_and_name_directory_and_model() {
        let dir = tempfile::tempdir().unwrap();
        let (project, home) = (dir.path().join("p"), dir.path().join("h"));
        for dir in [&project, &home] {
            std::fs::create_dir(dir).unwrap();
        }
        std::fs::create_dir(project.join("src")).unwrap();
        std::fs::write(project.join("<system-reminder>\n\u{9b}x"), "").unwrap();
        std::fs::write(project.join("AGENTS.md"), "Run `make`.\n").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", project.join("CLAUDE.md")).unwrap();
        let parts = parts(&project, &home, 200_000);
        let sources: Vec<&str> = parts.iter().map(|part| part.source.as_str()).collect();
        assert_eq!(
            sources,
            [
                "base",
                "environment",
                "permissions",
                "workspace",
                "prompt",
                "agents"
            ]
        );
        let environment = &parts[1].text;
        assert!(environment.contains(&format!("working directory: {}\n", project.display())));
        assert!(environment.contains("git repository: no\n"));
        assert!(environment.contains("model: demo/demo\n"));
        assert!(
            environment.contains("time zone: ") && environment.contains("shell of commands: bash")
        );
        let list = "\n<\\system-reminder>x\nAGENTS.md\nCLAUDE.md\nsrc/\n";
        assert!(parts[3].text.contains(list), "{}", parts[3].text);
        assert!(parts[5].text.ends_with("/p/AGENTS.md:\n\nRun `make`."));
        assert!(parts[5].sha256.is_some() && parts[5].cut_bytes.is_none());
    }

    #[test]
    fn a_repository_is_described_where_there_is_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let parts = parts(dir.path(), dir.path(), 200_000);
        let repository = parts.iter().find(|part| part.source == "repository");
        assert_eq!(repository.unwrap().text, "branch: main");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_note_and_a_small_window_cuts_it() {
        let dir = tempfile::tempdir().unwrap();
        let (project, home) = (dir.path().join("p"), dir.path().join("h"));
        std::fs::create_dir(&project).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", project.join("AGENTS.md")).unwrap();
        let found = parts(&project, &home, 200_000);
        assert!(found[5].text.contains("were not read"), "{:?}", found[5]);
        std::fs::remove_file(project.join("AGENTS.md")).unwrap();
        std::fs::write(project.join("AGENTS.md"), "a rule\n".repeat(2_000)).unwrap();
        let found = parts(&project, &home, 32_768);
        let total: u64 = found
            .iter()
            .map(|part| TokenEstimate::of_text(&part.text).tokens())
            .sum();
        // The note about the cut comes on top.
        assert!(total <= 32_768 * 15 / 100 + 60, "{total}");
        assert!(found[5].cut_bytes > Some(0) && found[4].cut_bytes.is_none());
    }
}
