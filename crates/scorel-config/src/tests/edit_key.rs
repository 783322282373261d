use std::fs;
use std::path::PathBuf;

use super::*;

struct Fixture {
    /// Deletes the directory at the end.
    _dir: tempfile::TempDir,
    path: PathBuf,
    file: ConfigFile,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, text).unwrap();
        Self {
            _dir: dir,
            file: ConfigFile::user(&path),
            path,
        }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

fn key(text: &str) -> ConfigKey {
    ConfigKey::parse(text).unwrap()
}

const MEMORY: &str = "memory = 67108864";

#[test]
fn a_key_is_set_however_its_table_is_written() {
    for (before, name, value, after) in [
        ("", "tools.preset", "all", "[tools]\npreset = \"all\"\n"),
        (
            "# top\n[tools.limits]\nMEMORY\n",
            "tools.preset",
            "all",
            "# top\n[tools.limits]\nMEMORY\n\n[tools]\npreset = \"all\"\n",
        ),
        (
            "[tools]\n[tools.limits]\nMEMORY\n",
            "tools.preset",
            "all",
            "[tools]\npreset = \"all\"\n[tools.limits]\nMEMORY\n",
        ),
        (
            "tools.limits.MEMORY\n",
            "tools.preset",
            "all",
            "tools.limits.MEMORY\ntools.preset = \"all\"\n",
        ),
        (
            "[tools]\nlimits.MEMORY # m\n[prompt]\n",
            "tools.limits.processes",
            "9",
            "[tools]\nlimits.MEMORY # m\nlimits.processes = 9\n[prompt]\n",
        ),
        (
            "[tools]\nlimits = { MEMORY }\n[prompt]\n",
            "tools.limits.processes",
            "9",
            "[tools]\nlimits = { MEMORY, processes = 9 }\n[prompt]\n",
        ),
        (
            "tools = { preset = 'all' }\n",
            "tools.preset",
            "none",
            "tools = { preset = \"none\" }\n",
        ),
        (
            "\u{feff}[runtime]\r\nretries = 3 # r\r\n",
            "runtime.retries",
            "4",
            "\u{feff}[runtime]\r\nretries = 4 # r\r\n",
        ),
        (
            "[model]\nprovider = 'openai'\nid = 'x'",
            "model.price",
            "{ input = 1, output = 2.5 }",
            "[model]\nprovider = 'openai'\nid = 'x'\nprice = { input = 1, output = 2.5 }",
        ),
        (
            "[prompt]\ntext = '''\na\nb'''\n",
            "prompt.text",
            "a \"b\"",
            "[prompt]\ntext = 'a \"b\"'\n",
        ),
    ] {
        let fixture = Fixture::new(&before.replace("MEMORY", MEMORY));
        assert!(fixture.file.set(&key(name), value).unwrap(), "{before:?}");
        assert_eq!(
            fixture.text(),
            after.replace("MEMORY", MEMORY),
            "{before:?}"
        );
        assert!(!fixture.file.set(&key(name), value).unwrap(), "{before:?}");
        assert!(fixture.file.problems().is_empty());
    }
}

#[test]
fn a_key_is_removed_with_its_lines_and_nothing_else() {
    for (before, name, after) in [
        (
            "# a\ntools.preset = 'all' # b\n# c\n",
            "tools.preset",
            "# a\n# c\n",
        ),
        (
            "[tools]\nlimits = { MEMORY, processes = 9 }\n",
            "tools.limits.memory",
            "[tools]\nlimits = { processes = 9 }\n",
        ),
        (
            "tools = { preset = 'all', hidden = [] }",
            "tools.hidden",
            "tools = { preset = 'all' }",
        ),
        (
            "[tools]\n  hidden = [ # h\n  '/a',\n  ] # end\npreset = 'all'",
            "tools.hidden",
            "[tools]\npreset = 'all'",
        ),
    ] {
        let fixture = Fixture::new(&before.replace("MEMORY", MEMORY));
        fixture.file.unset(&key(name)).unwrap();
        assert_eq!(fixture.text(), after, "{before:?}");
    }
}

#[test]
fn what_cannot_be_removed_or_set_is_refused_and_nothing_changes() {
    let before = "[model]\nprovider = 'openai'\nid = 'x'\nprice.input = 1\nprice.output = 2\n";
    let fixture = Fixture::new(before);
    let refused = |result: Result<bool, EditConfigError>| {
        assert_eq!(fixture.text(), before);
        result.unwrap_err()
    };
    let missing = refused(fixture.file.unset(&key("model.id")));
    assert!(
        missing.to_string().contains("`model.id` is missing"),
        "{missing}"
    );
    let table = refused(
        fixture
            .file
            .set(&key("model.price"), "{ input = 1, output = 1 }"),
    );
    assert!(table.to_string().contains("is a table"), "{table}");
    let within = refused(fixture.file.set(&key("model.id.x"), "1"));
    assert!(
        within.to_string().contains("not a table of keys"),
        "{within}"
    );
    let EditConfigError::Refused { suggestion, .. } =
        refused(fixture.file.unset(&key("model.providr")))
    else {
        panic!("refused")
    };
    assert_eq!(suggestion.as_deref(), Some("model.provider"));
}
