use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_exec::Supervisors;
use scorel_guidance::trust::TrustStore;
use scorel_home::{Home, ProjectRegistry, SecretStore};
use scorel_proto::{ProjectId, TrustState};
use scorel_workplace::CommandHost;
use scorel_workplace::worktrees::{SupervisedGit, Worktrees};
use tempfile::TempDir;

use super::*;

struct Dirs {
    _dir: TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl Dirs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir(&project).unwrap();
        Self {
            _dir: dir,
            home,
            project,
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn store(&self) -> Arc<TrustStore> {
        let store = TrustStore::new(self.home.join("trust.json"), self.home.join("store"));
        Arc::new(store)
    }

    fn items(&self) -> Vec<ProjectItem> {
        let config = ConfigSource::open(&self.home.join("config.toml")).unwrap();
        let config = Arc::new(config);
        let extensions = Extensions::new(&self.home, self.store(), Arc::clone(&config));
        let skills = Skills::new(&self.home, self.store(), extensions.clone());
        let servers = McpServers::new(
            &self.home,
            self.store(),
            Arc::clone(&config),
            extensions.clone(),
        );
        let projects = ProjectRegistry::open(&self.home.join("projects.json")).unwrap();
        let runs = Runs::new(
            &self.home,
            self.store(),
            Arc::new(projects),
            Arc::clone(&config),
            Arc::new(self.worktrees(&config)),
        );
        let items = ProjectItems::new(skills, extensions, servers, Arc::new(runs), config);
        items.of(&self.project)
    }

    fn worktrees(&self, config: &Arc<ConfigSource>) -> Worktrees {
        let supervisors = Supervisors::new(None).unwrap();
        let secrets = SecretStore::new(Home::unopened(&self.home).env());
        let commands = CommandHost::new(Arc::clone(&supervisors), secrets, &self.home, None, None);
        let git = SupervisedGit::new(supervisors, commands, Arc::clone(config));
        Worktrees::new(&self.home, git)
    }

    /// The names of the items, with their states.
    fn states(&self) -> Vec<(String, TrustState)> {
        let items = self.store().items(ProjectId::generate(), &self.items());
        let items = items.unwrap().into_iter();
        items.map(|it| (it.item, it.state)).collect()
    }
}

#[test]
fn all_that_a_project_brings_is_listed() {
    let dirs = Dirs::new();
    dirs.write(
        ".claude/skills/review/SKILL.md",
        "---\nname: review\ndescription: x\n---\n",
    );
    dirs.write(
        ".mcp.json",
        r#"{"mcpServers": {"db": {"command": "python3", "args": ["serve.py"], "env": {"TOKEN": "s3cret-value"}}}}"#,
    );
    dirs.write(
        ".claude/settings.json",
        r#"{"mcpServers": {"db": {"command": "other"}, "web": {"url": "https://example.org/"}}}"#,
    );
    dirs.write(".claude/settings.local.json", "{");
    let hooks = [("guard", "./serve.py"), ("mine", "true")].map(|(name, command)| {
        format!("[[hooks]]\nname = '{name}'\nevent = 'PreToolUse'\nmatcher = 'Bash'\ncommand = '{command}'\n")
    });
    dirs.write(".scorel/config.toml", &hooks.concat());
    fs::write(dirs.home.join("config.toml"), &hooks[1]).unwrap();
    dirs.write(".scorel/extensions/notes/extension.toml", "");
    dirs.write(".scorel/extensions/mine/extension.toml", "");
    fs::create_dir_all(dirs.home.join("extensions/mine")).unwrap();
    dirs.write(".scorel/workflows/ship.js", "");
    dirs.write("serve.py", "");
    let expected = [
        ("extension:mine", TrustState::Shadowed),
        ("extension:notes", TrustState::Untrusted),
        ("hook:?", TrustState::Untrusted),
        ("hook:guard", TrustState::Untrusted),
        ("hook:mine", TrustState::Shadowed),
        ("mcp:.claude/settings.local.json", TrustState::Untrusted),
        ("mcp:db", TrustState::Untrusted),
        ("mcp:web", TrustState::Untrusted),
        ("skill:review", TrustState::Untrusted),
        ("workflow:ship", TrustState::Untrusted),
    ];
    assert_eq!(
        dirs.states(),
        expected.map(|(item, state)| (item.to_owned(), state))
    );
    let items = dirs
        .store()
        .items(ProjectId::generate(), &dirs.items())
        .unwrap();
    let guard = items.iter().find(|it| it.item == "hook:guard").unwrap();
    assert_eq!(guard.content.programs[0].events, ["PreToolUse Bash"]);
    assert_eq!(guard.files[0].path, "serve.py");
    let db = items.iter().find(|it| it.item == "mcp:db").unwrap();
    let program = &db.content.programs[0];
    assert_eq!(program.command, "python3 serve.py");
    assert_eq!(program.environment, ["TOKEN"], "the value is not shown");
    assert!(db.digest.is_some());
    let web = items.iter().find(|it| it.item == "mcp:web").unwrap();
    assert!(web.digest.is_some());
    assert_eq!(web.content.programs[0].command, "https://example.org/");
}

#[test]
fn links_bring_nothing_and_the_users_home_is_no_projects() {
    let dirs = Dirs::new();
    fs::create_dir_all(dirs.home.join("extensions/mine")).unwrap();
    symlink(&dirs.home, dirs.project.join(".scorel")).unwrap();
    assert_eq!(dirs.states(), []);
    let at_home = Dirs {
        home: dirs.project.join("real/.scorel"),
        project: dirs.project.join("real"),
        ..dirs
    };
    fs::create_dir_all(at_home.home.join("extensions/mine")).unwrap();
    assert_eq!(at_home.states(), []);
}
