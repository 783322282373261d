use std::fs;
use std::os::unix::fs::symlink;

use scorel_config::ConfigSource;
use scorel_proto::{ClientId, ProjectId, TrustedItem};
use tempfile::TempDir;

use super::*;

struct Dirs {
    _dir: TempDir,
    home: PathBuf,
    project: SkillProject,
    trust: Arc<TrustStore>,
}

impl Dirs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home"), dir.path().join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir(&project).unwrap();
        let trust = TrustStore::new(home.join("trust.json"), home.join("store"));
        Self {
            trust: Arc::new(trust),
            project: SkillProject {
                id: ProjectId::generate(),
                dir: project,
            },
            home,
            _dir: dir,
        }
    }

    fn skills(&self) -> Skills {
        let config = ConfigSource::open(&self.home.join("config.toml")).unwrap();
        let extensions = Extensions::new(&self.home, Arc::clone(&self.trust), Arc::new(config));
        Skills::new(&self.home, Arc::clone(&self.trust), extensions)
    }

    fn write(&self, dir: &Path, name: &str, body: &str) {
        let dir = dir.join(name);
        fs::create_dir_all(&dir).unwrap();
        let text = format!("---\nname: {name}\ndescription: about {name}\n---\n{body}\n");
        fs::write(dir.join("SKILL.md"), text).unwrap();
    }

    fn project_dir(&self, place: usize) -> PathBuf {
        self.project.dir.join(PROJECT_DIRS[place])
    }

    fn states(&self) -> Vec<(String, SkillState)> {
        let found = self.skills().find(Some(&self.project)).unwrap();
        found.into_iter().map(|it| (it.name, it.state)).collect()
    }

    fn trust(&self, name: &str) {
        let items = self.skills().project_items(&self.project.dir);
        let shown = self.trust.items(self.project.id, &items).unwrap();
        let shown = shown
            .iter()
            .find(|it| it.item == format!("skill:{name}"))
            .unwrap();
        let wanted = [TrustedItem {
            item: shown.item.clone(),
            digest: shown.digest.clone(),
        }];
        let by = (self.project.id, ClientId::Daemon);
        self.trust.trust(by, &wanted, &items, 1).unwrap();
    }
}

#[test]
fn the_first_skill_of_a_name_counts_and_a_projects_is_inert_until_it_is_trusted() {
    let dirs = Dirs::new();
    dirs.write(&dirs.home.join("skills"), "review", "the user's");
    dirs.write(&dirs.project_dir(0), "review", "the project's");
    dirs.write(&dirs.project_dir(1), "deploy", "first");
    dirs.write(&dirs.project_dir(2), "deploy", "second");
    let expect = |deploy| {
        let found = [
            ("review", SkillState::Available),
            ("review", SkillState::Shadowed),
            ("deploy", deploy),
            ("deploy", SkillState::Shadowed),
        ];
        let found = found.map(|(name, state)| (name.to_owned(), state));
        assert_eq!(dirs.states(), found);
    };
    expect(SkillState::Untrusted);
    let refused = dirs.skills().load(&dirs.project, "deploy").unwrap_err();
    assert!(
        refused.contains("scorelctl trust add skill:deploy"),
        "{refused}"
    );
    dirs.trust("deploy");
    expect(SkillState::Available);
    let loaded = dirs.skills().load(&dirs.project, "deploy").unwrap();
    assert_eq!(loaded.skill.body, "first\n");
    assert!(loaded.dir.starts_with(dirs.home.join("store")), "a copy");
    dirs.write(&dirs.project_dir(1), "deploy", "other");
    expect(SkillState::Changed);
    assert!(dirs.skills().load(&dirs.project, "deploy").is_err());
    let own = dirs.skills().load(&dirs.project, "review").unwrap();
    assert_eq!(own.skill.body, "the user's\n");
}

#[test]
fn links_in_a_project_lead_to_no_skill() {
    let dirs = Dirs::new();
    let outside = dirs.home.join("elsewhere");
    dirs.write(&outside, "evil", "do as I say");
    fs::create_dir_all(dirs.project_dir(0)).unwrap();
    symlink(outside.join("evil"), dirs.project_dir(0).join("evil")).unwrap();
    fs::create_dir_all(dirs.project.dir.join(".agents")).unwrap();
    symlink(&outside, dirs.project_dir(1)).unwrap();
    assert_eq!(dirs.states(), []);
    symlink(&outside, dirs.home.join("skills")).unwrap();
    let own = [("evil".to_owned(), SkillState::Available)];
    assert_eq!(dirs.states(), own, "links of the user's own are followed");
}

#[test]
fn a_skill_that_cannot_be_read_says_why() {
    let dirs = Dirs::new();
    let skills = dirs.home.join("skills");
    fs::create_dir_all(skills.join("broken")).unwrap();
    fs::write(skills.join("broken/SKILL.md"), "# No head\n").unwrap();
    fs::create_dir_all(skills.join("long")).unwrap();
    fs::write(skills.join("long/SKILL.md"), "x".repeat(1024 * 1024 + 1)).unwrap();
    fs::create_dir_all(skills.join("not-a-skill")).unwrap();
    let found = dirs.skills().find(None).unwrap();
    let problems: Vec<String> = found
        .iter()
        .filter_map(|it| it.describe().problem)
        .collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].contains("does not begin with a line"),
        "{problems:?}"
    );
    assert!(
        problems[1].contains("is longer than 1048576 bytes"),
        "{problems:?}"
    );
    let error = dirs.skills().load(&dirs.project, "missing").unwrap_err();
    assert_eq!(error, "there is no skill `missing`, and no other");
}

#[test]
fn skills_of_plugins_have_the_name_of_their_plugin_and_its_trust() {
    let dirs = Dirs::new();
    let plugin = |extensions: PathBuf, id: &str, skill: &str| {
        let dir = extensions.join(id);
        fs::create_dir_all(dir.join(".claude-plugin")).unwrap();
        let manifest = format!(r#"{{"name": "{id}"}}"#);
        fs::write(dir.join(".claude-plugin/plugin.json"), manifest).unwrap();
        dirs.write(&dir.join("skills"), skill, "text");
        dir
    };
    plugin(dirs.home.join("extensions"), "tidy", "style");
    let theirs = dirs.project.dir.join(".scorel/extensions");
    plugin(theirs.clone(), "tidy", "evil");
    plugin(theirs, "deploy", "run");
    let named = |name: &str, state| (name.to_owned(), state);
    assert_eq!(
        dirs.states(),
        [
            named("tidy:style", SkillState::Available),
            named("deploy:run", SkillState::Untrusted),
            named("tidy:evil", SkillState::Shadowed),
        ]
    );
    let loaded = dirs.skills().load(&dirs.project, "tidy:style").unwrap();
    assert_eq!(loaded.skill.name, "tidy:style");
    let refused = dirs.skills().load(&dirs.project, "deploy:run").unwrap_err();
    assert!(refused.contains("trust add extension:deploy"), "{refused}");
}

#[test]
fn an_extension_with_a_program_brings_the_skills_that_its_manifest_names_and_none_from_elsewhere() {
    let dirs = Dirs::new();
    let own = dirs.home.join("extensions/notes");
    dirs.write(&own.join("skills"), "style", "text");
    dirs.write(&dirs.home.join("elsewhere"), "secret", "text");
    symlink(dirs.home.join("elsewhere/secret"), own.join("linked")).unwrap();
    let manifest = "manifest = 1\nid = 'notes'\nname = 'Notes'\nversion = '1'\ncommand = ['true']\n\
        skills = ['skills/style', '../../elsewhere/secret', 'linked']\n";
    fs::write(own.join("extension.toml"), manifest).unwrap();
    let named = |name: &str, state| (name.to_owned(), state);
    assert_eq!(
        dirs.states(),
        [
            named("notes:style", SkillState::Available),
            named("notes:secret", SkillState::Invalid),
            named("notes:linked", SkillState::Invalid),
        ]
    );
    let loaded = dirs.skills().load(&dirs.project, "notes:style").unwrap();
    assert_eq!(loaded.skill.name, "notes:style");
}
