use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use scorel_home::trusted_file::Stamp;
use scorel_proto::{AgentWorkspace, SetAgentParams, ThinkingLevel, ToolPreset};
use serde_json::Number;

use super::*;

struct Fixture {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, text).unwrap();
        Self { dir, path }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    /// The text after the change, which is in force.
    fn set(&self, params: &SetAgentParams) -> String {
        let source = ConfigSource::open(&self.path).unwrap();
        source.set_agent(params).unwrap();
        assert_eq!(source.problem(), None);
        let config = source.current(None);
        assert_eq!(user(&self.text()).unwrap(), *config);
        assert!(config.agents.contains_key(&params.agent_type));
        self.text()
    }

    /// Why the change is refused: field, reason, suggestion. The file is as it was.
    fn refused(&self, params: &SetAgentParams) -> (Option<&'static str>, String, Option<String>) {
        let before = self.text();
        let source = ConfigSource::open(&self.path).unwrap();
        let error = source.set_agent(params).unwrap_err();
        assert_eq!(self.text(), before);
        match error {
            EditConfigError::Refused {
                field,
                reason,
                suggestion,
            } => (field, reason, suggestion),
            other => panic!("{other:?}"),
        }
    }
}

fn named(name: &str) -> SetAgentParams {
    SetAgentParams {
        agent_type: name.to_owned(),
        ..SetAgentParams::default()
    }
}

fn set(text: &str, params: &SetAgentParams) -> String {
    Fixture::new(text).set(params)
}

fn quota_and_prompt(name: &str) -> SetAgentParams {
    SetAgentParams {
        default_quota: Some(Some(3)),
        prompt: Some(Some("Be brief.".to_owned())),
        ..named(name)
    }
}

#[test]
fn a_new_agent_is_added_at_the_end() {
    let added = "[agents.x]\nprompt = \"Be brief.\"\ndefaultQuota = 3\n";
    for (before, between) in [
        ("", ""),
        ("# mine\n", "\n"),
        ("# mine", "\n\n"),
        ("[agents]\n# none yet\n", "\n"),
        ("[agents.y] # the other\nmodel='m'#m\n\n# the end\n", "\n"),
        ("agents.y.model = 'm'\n", "\n"),
    ] {
        let after = set(before, &quota_and_prompt("x"));
        assert_eq!(after, format!("{before}{between}{added}"), "{before:?}");
    }
    assert_eq!(set("", &named("x")), "[agents.x]\n");
}

#[test]
fn a_missing_file_is_made_and_is_private() {
    let fixture = Fixture::new("");
    fs::remove_file(&fixture.path).unwrap();
    assert_eq!(fixture.set(&named("x")), "[agents.x]\n");
    let mode = fs::metadata(&fixture.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_known_value_is_replaced_and_a_new_one_follows_the_last() {
    let before = "\
# top
[model] # demo
provider='demo'

[agents.x]   # the agent
  # how many
  defaultQuota  =  1   # one
  model = 'old' # a model

# about y
[agents.y]
defaultQuota = 1
# the end
";
    let after = set(before, &quota_and_prompt("x"));
    let expected = before.replacen("=  1   # one", "=  3   # one", 1).replacen(
        "# a model\n",
        "# a model\n  prompt = \"Be brief.\"\n",
        1,
    );
    assert_eq!(after, expected);
}

#[test]
fn the_ways_to_write_a_table_are_all_understood() {
    for (before, after) in [
        (
            "[agents.x]",
            "[agents.x]\nprompt = \"Be brief.\"\ndefaultQuota = 3",
        ),
        (
            "[agents.x]\n[agents.y]\n",
            "[agents.x]\nprompt = \"Be brief.\"\ndefaultQuota = 3\n[agents.y]\n",
        ),
        (
            "[agents]\nx = {}\n",
            "[agents]\nx = { prompt = \"Be brief.\", defaultQuota = 3 }\n",
        ),
        (
            "[agents]\nx = { defaultQuota=1 }\n",
            "[agents]\nx = { defaultQuota=3, prompt = \"Be brief.\" }\n",
        ),
        (
            "agents = { x = { model='m' } }\n",
            "agents = { x = { model='m', prompt = \"Be brief.\", defaultQuota = 3 } }\n",
        ),
        (
            "agents.x.defaultQuota=1 # n\nmodel.provider='demo'\n",
            "agents.x.defaultQuota=3 # n\nagents.x.prompt = \"Be brief.\"\nmodel.provider='demo'\n",
        ),
        (
            "[agents]\n x.model='m'\n y.model='n'\n",
            "[agents]\n x.model='m'\n x.prompt = \"Be brief.\"\n x.defaultQuota = 3\n y.model='n'\n",
        ),
        (
            "[agents.\"x\"]\nprompt = '''\na\nb'''\n",
            "[agents.\"x\"]\nprompt = \"Be brief.\"\ndefaultQuota = 3\n",
        ),
        (
            "[agents.x]\r\nmodel='m' # ü\r\n[agents.y]\r\n",
            "[agents.x]\r\nmodel='m' # ü\r\nprompt = \"Be brief.\"\r\ndefaultQuota = 3\r\n[agents.y]\r\n",
        ),
        (
            "\u{feff}[agents.x]\n",
            "\u{feff}[agents.x]\nprompt = \"Be brief.\"\ndefaultQuota = 3\n",
        ),
    ] {
        assert_eq!(set(before, &quota_and_prompt("x")), after, "{before:?}");
    }
}

#[test]
fn every_value_is_written_as_it_is_read() {
    let odd = "one \"two\" 'three' \\ \u{7f}\u{1} ü\ttab";
    let lines = "first\nsecond \"\"\" and ''' \\\n\r\n\nlast";
    let params = SetAgentParams {
        display_name: Some(Some(odd.to_owned())),
        description: Some(Some(lines.to_owned())),
        capabilities: Some(Some(vec![
            "a, b".to_owned(),
            odd.to_owned(),
            "x\ny".to_owned(),
        ])),
        runner: Some(Some("codex".to_owned())),
        model: Some(Some("openai:big".to_owned())),
        thinking_level: Some(Some(ThinkingLevel::Xhigh)),
        tools: Some(Some(ToolPreset::All)),
        prompt: Some(Some(lines.to_owned())),
        workspace: Some(Some(AgentWorkspace::Worktree)),
        default_quota: Some(Some(1000)),
        enabled: Some(Some(false)),
        max_turn_tokens: Some(Some(2_000_000)),
        max_turn_seconds: Some(Some(600)),
        max_session_cost: Some(Number::from_f64(2.5)),
        ..named("x")
    };
    for before in ["", "[agents]\nx = {}\n", "[agents.x]\r\nmodel = 'a'\r\n"] {
        let config = user(&set(before, &params)).unwrap();
        let agent = &config.agents["x"].config;
        assert_eq!(agent.display_name, odd);
        assert_eq!(agent.description, lines);
        assert_eq!(Some(Some(agent.capabilities.clone())), params.capabilities);
        assert_eq!(agent.runner, "codex");
        assert_eq!(agent.model.as_deref(), Some("openai:big"));
        assert_eq!(Some(agent.thinking_level), params.thinking_level);
        assert_eq!(Some(agent.tools), params.tools);
        assert_eq!(agent.prompt.as_deref(), Some(lines));
        assert_eq!(agent.workspace, AgentWorkspace::Worktree);
        assert_eq!((agent.default_quota, agent.enabled), (1000, false));
        let limits = (agent.max_turn_tokens, agent.max_turn_seconds);
        assert_eq!(limits, (Some(2_000_000), Some(600)));
        assert_eq!(
            Some(agent.max_session_cost.clone()),
            params.max_session_cost
        );
        assert_eq!(config.agents["x"].max_session_cost, Some(2_500_000));
    }
}

#[test]
fn null_takes_a_key_out_and_what_is_absent_stays() {
    let params: SetAgentParams = serde_json::from_value(serde_json::json!({
        "agentType": "x", "model": null, "prompt": null, "maxTurnTokens": null, "defaultQuota": 2,
    }))
    .unwrap();
    for (before, after) in [
        (
            "[agents.x] # mine\nmodel = 'a' # old\nenabled = false # stays\nprompt = 'p'\n",
            "[agents.x] # mine\nenabled = false # stays\ndefaultQuota = 2\n",
        ),
        (
            "agents.x = { model = 'a', enabled = false, maxTurnTokens = 5 }\n",
            "agents.x = { enabled = false, defaultQuota = 2 }\n",
        ),
        ("agents.x.model = 'a'\n", "[agents.x]\ndefaultQuota = 2\n"),
        ("", "[agents.x]\ndefaultQuota = 2\n"),
    ] {
        assert_eq!(set(before, &params), after);
        assert_eq!(set(after, &params), after, "nothing is left to change");
    }
}

#[test]
fn what_the_file_says_already_is_not_written_again() {
    let text = "[agents.x]\ndefaultQuota = 0x3\nprompt = '''Be brief.'''\ncapabilities = [\n 'a', # first\n]\n";
    let fixture = Fixture::new(text);
    let inode = || Stamp::current(&fixture.path).unwrap();
    let before = inode();
    let params = SetAgentParams {
        capabilities: Some(Some(vec!["a".to_owned()])),
        ..quota_and_prompt("x")
    };
    assert_eq!(fixture.set(&params), text);
    assert_eq!(inode(), before);
    assert_eq!(fixture.set(&named("x")), text);
    assert_eq!(inode(), before);
    let twice = quota_and_prompt("new");
    assert_eq!(fixture.set(&twice), fixture.set(&twice));
}

#[test]
fn a_symbolic_link_stays_one() {
    let fixture = Fixture::new("");
    let real = fixture.dir.path().join("dotfiles.toml");
    fs::rename(&fixture.path, &real).unwrap();
    symlink(&real, &fixture.path).unwrap();
    fixture.set(&named("x"));
    assert_eq!(fs::read_link(&fixture.path).unwrap(), real);
    assert_eq!(fs::read_to_string(&real).unwrap(), "[agents.x]\n");

    let source = ConfigSource::open(&fixture.path).unwrap();
    fs::remove_file(&real).unwrap();
    let refused = source.set_agent(&named("y")).unwrap_err();
    assert!(
        matches!(refused, EditConfigError::BrokenLink { .. }),
        "{refused:?}"
    );
    assert!(fs::symlink_metadata(&fixture.path).unwrap().is_symlink());
}

#[test]
fn what_is_not_valid_is_refused_by_its_field() {
    let fixture = Fixture::new("# mine\n[agents.x]\n");
    for name in ["", "a b", "a.b", "ü", &"x".repeat(65)] {
        assert_eq!(fixture.refused(&named(name)).0, Some("agentType"), "{name}");
    }
    let quota = SetAgentParams {
        default_quota: Some(Some(1001)),
        ..named("x")
    };
    assert_eq!(fixture.refused(&quota).0, Some("defaultQuota"));
    let runner = SetAgentParams {
        runner: Some(Some("codxe".to_owned())),
        ..named("new")
    };
    let (field, reason, suggestion) = fixture.refused(&runner);
    assert_eq!(
        (field, suggestion.as_deref()),
        (Some("runner"), Some("codex"))
    );
    assert!(reason.contains("no runner `codxe`"), "{reason}");
    let prompt = SetAgentParams {
        prompt: Some(Some("x".repeat(65_537))),
        ..named("x")
    };
    assert_eq!(fixture.refused(&prompt).0, Some("prompt"));
}

#[test]
fn agents_whose_runner_is_gone_block_no_change() {
    let model = "[model]\nprovider = 'openai'\nid = 'x'\n";
    let gone = "[agents.x]\nrunner = 'old'\n[agents.y]\nrunner = 'old'\n";
    let fixture = Fixture::new(&format!("{model}{gone}"));
    let source = ConfigSource::open(&fixture.path).unwrap();
    let runner = |agent: &str, runner: &str| {
        source.set_agent(&SetAgentParams {
            runner: Some(Some(runner.to_owned())),
            ..named(agent)
        })
    };
    let file = ConfigFile::user(&fixture.path);
    let id = ConfigKey::parse("model.id").unwrap();
    assert!(file.set(&id, "gpt-5").unwrap());
    source.set_agent(&quota_and_prompt("x")).unwrap();
    source.set_agent(&quota_and_prompt("z")).unwrap();
    let before = fixture.text();
    for agent in ["x", "z"] {
        let error = runner(agent, "older").unwrap_err().to_string();
        assert!(error.contains("no runner `older`"), "{error}");
    }
    let new = ConfigKey::parse("agents.y.runner").unwrap();
    assert!(file.set(&new, "older").is_err());
    assert_eq!(fixture.text(), before);
    for agent in ["x", "y"] {
        runner(agent, "codex").unwrap();
        assert_eq!(source.current(None).agents[agent].config.runner, "codex");
    }
    assert_eq!(file.problems().len(), 0);
}

#[test]
fn a_file_that_is_invalid_or_full_is_left_alone() {
    let fixture = Fixture::new("");
    let source = ConfigSource::open(&fixture.path).unwrap();
    for (text, place) in [
        ("\n[agnets.y]\n", "config.toml:2:2: "),
        ("agents = { y = {} }\n", "config.toml:1:10: "),
    ] {
        fs::write(&fixture.path, text).unwrap();
        let error = source.set_agent(&named("x")).unwrap_err();
        assert!(matches!(error, EditConfigError::File(_)), "{error:?}");
        assert!(error.to_string().contains(place), "{error}");
        assert_eq!(fixture.text(), text);
    }
    let full = format!("#{}", "x".repeat(1024 * 1024 - 5));
    fs::write(&fixture.path, full).unwrap();
    assert_eq!(fixture.refused(&named("x")).0, None);
}

#[test]
fn changes_at_the_same_time_are_all_made() {
    let fixture = Fixture::new("");
    let source = ConfigSource::open(&fixture.path).unwrap();
    std::thread::scope(|scope| {
        for n in 0..16 {
            let source = &source;
            scope.spawn(move || source.set_agent(&named(&format!("a{n}"))).unwrap());
        }
    });
    assert_eq!(source.current(None).agents.len(), 16);
}
