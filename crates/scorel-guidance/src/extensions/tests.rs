use std::os::unix::fs::symlink;

use scorel_proto::{ClientId, ProjectId, TrustedItem};
use tempfile::TempDir;

use super::*;
use crate::trust::Inert;

struct Dirs {
    dir: TempDir,
    extensions: Extensions,
    project: SkillProject,
}

impl Dirs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home"), dir.path().join("project"));
        fs::create_dir(&home).unwrap();
        fs::create_dir_all(project.join(".scorel")).unwrap();
        let trust = TrustStore::new(home.join("trust.json"), home.join("store"));
        let config = ConfigSource::open(&home.join("config.toml")).unwrap();
        Self {
            extensions: Extensions::new(&home, Arc::new(trust), Arc::new(config)),
            project: SkillProject {
                id: ProjectId::generate(),
                dir: project,
            },
            dir,
        }
    }

    /// A plugin whose manifest says `description`.
    fn plugin(&self, place: &str, id: &str, description: &str) -> PathBuf {
        let dir = self.dir.path().join(place).join("extensions").join(id);
        fs::create_dir_all(dir.join(".claude-plugin")).unwrap();
        let manifest = format!(r#"{{"name": "{id}", "description": "{description}"}}"#);
        fs::write(dir.join(".claude-plugin/plugin.json"), manifest).unwrap();
        dir
    }

    fn states(&self) -> Vec<(String, ExtensionState)> {
        let found = self.extensions.find(Some(&self.project)).unwrap();
        let found = found.into_iter();
        found.map(|it| (it.id.to_string(), it.state)).collect()
    }

    fn trust(&self, id: &str) {
        let items = self.extensions.project_items(&self.project.dir);
        let store = &self.extensions.trust;
        let shown = store.items(self.project.id, &items).unwrap();
        let item = format!("extension:{id}");
        let digest = shown
            .iter()
            .find(|it| it.item == item)
            .unwrap()
            .digest
            .clone();
        let by = (self.project.id, ClientId::Daemon);
        let wanted = [TrustedItem { item, digest }];
        store.trust(by, &wanted, &items, 1).unwrap();
    }
}

#[test]
fn a_projects_plugin_is_used_from_its_copy_once_it_is_trusted_and_never_in_place_of_the_users() {
    let dirs = Dirs::new();
    let own = dirs.plugin("home", "tidy", "mine");
    dirs.plugin("project/.scorel", "tidy", "theirs");
    let theirs = dirs.plugin("project/.scorel", "deploy", "theirs");
    let untrusted = Inert::Untrusted("extension:deploy".to_owned());
    let named = |id: &str, state| (id.to_owned(), state);
    assert_eq!(
        dirs.states(),
        [
            named("tidy", ExtensionState::Usable(own)),
            named("deploy", ExtensionState::Inert(untrusted)),
            named("tidy", ExtensionState::Shadowed),
        ]
    );
    let used = |id: &str| {
        let plugins = dirs.extensions.plugins(Some(&dirs.project)).unwrap();
        plugins.into_iter().find(|it| it.plugin.id.as_str() == id)
    };
    assert!(used("deploy").is_none());
    assert_eq!(used("tidy").unwrap().plugin.description, "mine");
    dirs.trust("deploy");
    let deploy = used("deploy").unwrap();
    let home = dirs.dir.path().join("home");
    assert!(deploy.is_project && deploy.place.root.starts_with(home.join("store")));
    assert_eq!(deploy.place.data, home.join("extension-data/deploy"));
    fs::write(theirs.join("new.sh"), "x").unwrap();
    assert!(used("deploy").is_none(), "changed");
}

#[test]
fn links_of_a_project_and_names_that_are_no_ids_are_left_out() {
    let dirs = Dirs::new();
    let elsewhere = dirs.plugin("elsewhere", "tidy", "x");
    dirs.plugin("home", ".adding-1", "x");
    dirs.plugin("home", "Odd", "x");
    symlink(&elsewhere, dirs.dir.path().join("home/extensions/linked")).unwrap();
    let theirs = dirs.project.dir.join(".scorel/extensions");
    fs::create_dir_all(&theirs).unwrap();
    symlink(&elsewhere, theirs.join("evil")).unwrap();
    let ids: Vec<String> = dirs.states().into_iter().map(|it| it.0).collect();
    assert_eq!(ids, ["linked"], "the user may link what they work on");
    let at_home = Dirs::new();
    let project = SkillProject {
        dir: at_home.dir.path().to_owned(),
        ..at_home.project.clone()
    };
    let scorel = at_home.dir.path().join(".scorel");
    symlink(at_home.dir.path().join("home"), &scorel).unwrap();
    at_home.plugin("home", "tidy", "x");
    assert_eq!(at_home.extensions.find(Some(&project)).unwrap().len(), 1);
}

#[test]
fn the_users_settings_turn_off_and_order_and_what_is_off_still_keeps_its_id() {
    let dirs = Dirs::new();
    for id in ["alpha", "beta", "tidy"] {
        dirs.plugin("home", id, "mine");
    }
    dirs.plugin("project/.scorel", "tidy", "theirs");
    dirs.plugin("project/.scorel", "deploy", "theirs");
    let config = dirs.dir.path().join("home/config.toml");
    let text = "[extensions]\ndisabled = ['tidy', 'deploy', 'alhpa']\norder = ['beta']\n";
    fs::write(config, text).unwrap();
    let found = dirs.extensions.find(Some(&dirs.project)).unwrap();
    let states: Vec<_> = found.iter().map(|it| (it.id.as_str(), &it.state)).collect();
    assert!(
        matches!(
            states[..],
            [
                ("beta", ExtensionState::Usable(_)),
                ("alpha", ExtensionState::Usable(_)),
                ("tidy", ExtensionState::Disabled),
                ("deploy", ExtensionState::Disabled),
                ("tidy", ExtensionState::Shadowed),
            ]
        ),
        "{states:?}"
    );
    assert_eq!(found.iter().filter_map(FoundExtension::used).count(), 2);
    let said = dirs.extensions.unknown_settings(&found);
    assert_eq!(
        said,
        ["`[extensions]`, `disabled`: there is no extension `alhpa` here; did you mean `alpha`?"]
    );
}
