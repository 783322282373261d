use std::fs;

use scorel_proto::{ClientId, ProjectId, TrustState, TrustedItem};
use tempfile::TempDir;

use super::*;
use crate::trust::Inert;

struct Dirs {
    _dir: TempDir,
    home: PathBuf,
    servers: McpServers,
    project: SkillProject,
}

impl Dirs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir_all(project.join(".scorel")).unwrap();
        fs::create_dir_all(project.join(".claude")).unwrap();
        let trust = TrustStore::new(home.join("trust.json"), home.join("store"));
        let config = ConfigSource::open(&home.join("config.toml")).unwrap();
        let (trust, config) = (Arc::new(trust), Arc::new(config));
        let extensions = Extensions::new(&home, Arc::clone(&trust), Arc::clone(&config));
        Self {
            servers: McpServers::new(&home, trust, config, extensions),
            project: SkillProject {
                id: ProjectId::generate(),
                dir: project,
            },
            home,
            _dir: dir,
        }
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.project.dir.join(path), text).unwrap();
    }

    fn found(&self) -> Vec<FoundMcpServer> {
        self.servers.find(Some(&self.project)).unwrap()
    }

    fn state(&self, name: &str) -> McpServerState {
        let mut found = self.found().into_iter();
        found.find(|it| it.name == name).unwrap().state
    }

    fn trust(&self, item: &str) -> Result<(), TrustError> {
        let items = self.servers.project_items(&self.project.dir);
        let store = &self.servers.trust;
        let shown = store.items(self.project.id, &items).unwrap();
        let shown = shown.iter().find(|it| it.item == item).unwrap();
        let wanted = [TrustedItem {
            item: item.to_owned(),
            digest: shown.digest.clone(),
        }];
        store.trust((self.project.id, ClientId::Daemon), &wanted, &items, 1)
    }
}

fn server(name: &str, command: &str) -> String {
    format!("[[mcp.servers]]\nname = '{name}'\ncommand = '{command}'\n")
}

#[test]
fn a_projects_server_is_usable_once_it_is_trusted_and_while_it_stays_the_same() {
    let dirs = Dirs::new();
    fs::write(dirs.home.join("config.toml"), server("mine", "true")).unwrap();
    let theirs = server("mine", "./evil.sh") + &server("db", "./serve.sh");
    dirs.write(".scorel/config.toml", &theirs);
    dirs.write("serve.sh", "one");
    dirs.write(
        ".mcp.json",
        r#"{"mcpServers": {"db": {"command": "other"}, "web": {"type": "http", "url": "https://example.org/"},
            "old": {"type": "sse", "url": "https://example.org/"}}}"#,
    );
    dirs.write(".claude/settings.local.json", "{");
    let untrusted = McpServerState::Inert(Inert::Untrusted("mcp:db".to_owned()));
    let names: Vec<_> = dirs.found().iter().map(FoundMcpServer::process).collect();
    assert_eq!(
        names,
        [
            "mcp:mine",
            "mcp:mine",
            "mcp:db",
            "mcp:web",
            "mcp:old",
            "mcp:.claude/settings.local.json"
        ]
    );
    assert!(dirs.found()[0].usable().is_some());
    assert_eq!(dirs.found()[1].state, McpServerState::Shadowed);
    assert_eq!(dirs.state("db"), untrusted);
    assert!(dirs.trust("mcp:mine").is_err(), "shadowed");
    assert!(dirs.trust("mcp:old").is_err(), "not run");
    dirs.trust("mcp:web").unwrap();
    let web = dirs
        .found()
        .into_iter()
        .find(|it| it.name == "web")
        .unwrap();
    assert_eq!(web.usable().unwrap().line(), "https://example.org/");
    dirs.trust("mcp:db").unwrap();
    let usable = dirs.found().into_iter().find(|it| it.name == "db").unwrap();
    assert_eq!(usable.usable().unwrap().line(), "./serve.sh");
    assert_eq!(
        usable.files,
        [dirs.project.dir.canonicalize().unwrap().join("serve.sh")]
    );
    dirs.write("serve.sh", "two");
    let changed = McpServerState::Inert(Inert::Changed("mcp:db".to_owned()));
    assert_eq!(dirs.state("db"), changed);
    dirs.trust("mcp:db").unwrap();
    let theirs = theirs.replace("./serve.sh'", "./serve.sh'\nargs = ['--all']");
    dirs.write(".scorel/config.toml", &theirs);
    assert_eq!(dirs.state("db"), changed);
    let off = format!(
        "[mcp]\ndisabled = ['db', 'mine']\n{}",
        server("mine", "true")
    );
    fs::write(dirs.home.join("config.toml"), off).unwrap();
    assert_eq!(dirs.state("db"), McpServerState::Disabled);
    assert_eq!(dirs.state("mine"), McpServerState::Disabled);
}

#[test]
fn entries_of_other_programs_name_their_secrets_and_files() {
    let dirs = Dirs::new();
    dirs.write("serve.py", "");
    dirs.write(
        ".mcp.json",
        r#"{"mcpServers": {"My_DB": {"command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/serve.py"],
            "env": {"TOKEN": "${DB_TOKEN}", "MODE": "fast"}},
            "bad": {"command": "x", "args": ["--key=${KEY}"]}, "none": {}, "a b": {"command": "x"}}}"#,
    );
    let items = dirs.servers.project_items(&dirs.project.dir);
    let listed = dirs.servers.trust.items(dirs.project.id, &items).unwrap();
    let item = |name: &str| listed.iter().find(|it| it.item == name).unwrap();
    let db = item("mcp:My_DB");
    assert_eq!(db.state, TrustState::Untrusted);
    let program = &db.content.programs[0];
    assert_eq!(program.environment, ["MODE", "TOKEN (secret DB_TOKEN)"]);
    assert!(!program.network && !program.unsandboxed);
    assert_eq!(db.files[0].path, "serve.py");
    assert!(db.digest.is_some());
    for (name, said) in [
        ("mcp:bad", "a variable is read only"),
        ("mcp:none", "no `command` and no `url`"),
        ("mcp:a b", "has letters, digits"),
    ] {
        let problem = item(name).problem.as_deref().unwrap();
        assert!(problem.contains(said), "{name}: {problem}");
        assert_eq!(item(name).digest, None);
    }
}
