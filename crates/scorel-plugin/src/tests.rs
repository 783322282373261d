use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;
use scorel_extension::hook::HookEvent;

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(root: &Path) -> PluginReading {
    PluginReading::of(root, None)
}

fn problems(reading: &PluginReading) -> Vec<String> {
    reading.problems.iter().map(ToString::to_string).collect()
}

fn not_run(plugin: &Plugin) -> Vec<String> {
    plugin.not_run.iter().map(ToString::to_string).collect()
}

const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/guard.sh", "statusMessage": "x"}, {"type": "prompt", "prompt": "?"}]}]}}"#;

#[test]
fn a_plugin_has_what_runs_and_the_names_of_what_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let manifest = r#"{"name": "tidy", "version": "1.2.0", "description": "Tidies\n up", "author": {"name": "x"},
        "userConfig": {"token": {}}, "experimental": {"themes": "./t"}, "lspServers": {"go": {}}}"#;
    write(root, ".claude-plugin/plugin.json", manifest);
    write(
        root,
        "commands/fix.md",
        "---\ndescription: Fix it\n---\nFix $1.",
    );
    write(root, "commands/git/tidy.md", "Tidy.");
    write(
        root,
        "commands/inner.md",
        "---\nuser-invocable: false\n---\nx",
    );
    write(root, "commands/notes.txt", "none");
    write(
        root,
        "skills/style/SKILL.md",
        "---\nname: style\ndescription: a: b\nhooks: {}\n---\nx",
    );
    write(root, "skills/none/README.md", "none");
    write(root, "hooks/hooks.json", HOOKS);
    write(root, "agents/critic.md", "x");
    write(root, "bin/tool", "x");
    write(root, "output-styles/terse.md", "x");
    write(
        root,
        ".mcp.json",
        r#"{"mcpServers": {"db": {"command": "x"}, "old": {"type": "sse", "url": "x"}}}"#,
    );
    let reading = read(root);
    assert_eq!(problems(&reading), [""; 0]);
    let plugin = reading.plugin.unwrap();
    assert_eq!(
        (plugin.id.as_str(), plugin.format),
        ("tidy", PluginFormat::Claude)
    );
    assert_eq!(plugin.description, "Tidies up");
    let commands: Vec<&str> = plugin.commands.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(commands, ["fix", "git:tidy"]);
    assert_eq!(plugin.skills, [root.join("skills/style")]);
    assert_eq!(plugin.hooks.len(), 1);
    assert_eq!(plugin.hooks[0].event, HookEvent::PreToolUse);
    let name = plugin.hooks[0].name.as_str();
    assert!(name.starts_with("tidy-") && name.len() == 11, "{name}");
    let named = not_run(&plugin).join("\n");
    for part in [
        "hooks (`hooks.PreToolUse[0].hooks[1]`: hooks of type `prompt` are not run)",
        "commands with `user-invocable: false` (inner)",
        "hooks of skills (skills/style)",
        "agents (critic)",
        "bin/ (tool)",
        "language servers: not run",
        "output styles (terse)",
        "themes: not run",
        "userConfig (token)",
        "MCP servers by `sse` (old)",
    ] {
        assert!(named.contains(part), "{part}\n{named}");
    }
}

#[test]
fn places_that_the_manifest_names_are_read_and_none_outside() {
    let dir = tempfile::tempdir().unwrap();
    let root = &dir.path().join("plugin");
    let manifest = r#"{"name": "tidy", "commands": ["./more/", "./one.md", "../up.md", "link.md"],
        "skills": "./extra", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    write(root, ".codex-plugin/plugin.json", manifest);
    write(root, "commands/usual.md", "replaced");
    write(root, "more/two.md", "x");
    write(root, "one.md", "x");
    write(root, "../up.md", "secret");
    symlink("../up.md", root.join("link.md")).unwrap();
    symlink("../up.md", root.join("more/linked.md")).unwrap();
    write(root, "skills/usual/SKILL.md", "x");
    write(root, "extra/other/SKILL.md", "x");
    write(root, "hooks/hooks.json", HOOKS);
    let reading = read(root);
    let said = problems(&reading);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("../up.md: its path leads out")
            && said[1].contains("link.md: it is a link"),
        "{said:?}"
    );
    let plugin = reading.plugin.unwrap();
    let commands: Vec<&str> = plugin.commands.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        (plugin.format, commands),
        (PluginFormat::Codex, vec!["two", "one"])
    );
    assert_eq!(
        plugin.skills,
        [root.join("skills/usual"), root.join("extra/other")]
    );
    assert_eq!(
        plugin.hooks.len(),
        2,
        "those of the file and those of the manifest"
    );
}

#[test]
fn a_portable_plugin_has_skills_and_servers_at_fixed_places() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let schema = "https://agent-plugins.org/schemas/1.1.0/plugin.schema.json";
    write(
        root,
        "plugin.json",
        &format!(r#"{{"$schema": "{schema}", "name": "acme.tools", "skils": "x"}}"#),
    );
    write(
        root,
        "skills/greet/SKILL.md",
        "---\nname: greet\ndescription: x\n---\nx",
    );
    write(root, "commands/x.md", "x");
    write(
        root,
        "mcp.json",
        r#"{"mcpServers": {"db": {"type": "stdio", "command": "x"}}}"#,
    );
    let unnamed = read(root);
    assert!(
        problems(&unnamed)[1].contains("`name`: the id of an extension has"),
        "{unnamed:?}"
    );
    let id = "acme".parse().unwrap();
    let reading = PluginReading::of(root, Some(&id));
    assert_eq!(
        problems(&reading),
        ["plugin.json: `skils`: no such field; it is ignored; did you mean `skills`?"]
    );
    let plugin = reading.plugin.unwrap();
    assert_eq!(
        (plugin.format, plugin.commands.len()),
        (PluginFormat::AgentPlugins, 0)
    );
    assert_eq!(
        (plugin.id.as_str(), plugin.name.as_str()),
        ("acme", "acme.tools")
    );
    assert_eq!(plugin.servers[0].0, "db");
    write(root, ".claude-plugin/plugin.json", r#"{"name": "acme"}"#);
    assert_eq!(
        read(root).plugin.unwrap().commands.len(),
        1,
        "the richer one counts"
    );
}

#[test]
fn a_broken_file_is_named_with_its_place_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (manifest, expected) in [
        ("{\n  \"name\": }", "2:11: it is not JSON"),
        ("[]", "it is not an object"),
        ("{}", "`name`: it is missing"),
        (r#"{"name": 3}"#, "`name`: it is not a string"),
        (
            r#"{"name": "Tidy Up"}"#,
            "`name`: the id of an extension has",
        ),
        (r#"{"name": "scorel"}"#, "`name`: `scorel` is not an id"),
    ] {
        write(root, ".claude-plugin/plugin.json", manifest);
        let reading = read(root);
        assert!(reading.plugin.is_none());
        let said = problems(&reading);
        assert!(
            said[0].starts_with(&format!(".claude-plugin/plugin.json: {expected}")),
            "{said:?}"
        );
    }
    let manifest = r#"{"name": "tidy", "version": 1, "hooks": "./none.json", "comands": "x"}"#;
    write(root, ".claude-plugin/plugin.json", manifest);
    write(root, "hooks/hooks.json", r#"{"hooks": {"PreToolUes": []}}"#);
    write(root, "commands/a.md", "---\ndescription: [x]\n---\n");
    write(root, "commands/b.md", "---\nunfinished");
    write(root, "commands/c.md", "---\ndescription: x: y\n---\nfine");
    write(root, "commands/d e.md", "x");
    write(root, ".mcp.json", "{");
    let reading = read(root);
    let said = problems(&reading);
    for (problem, expected) in said.iter().zip([
        "plugin.json: `comands`: no such field; it is ignored; did you mean `commands`?",
        "plugin.json: `version`: it is not a string",
        "none.json: there is no such file",
        "hooks/hooks.json: `hooks.PreToolUes`: no event `PreToolUes`; did you mean `PreToolUse`?",
        "commands/a.md: `description` is not a text",
        "commands/b.md: no line `---` ends its head",
        "commands/c.md: line 2, column ",
        "commands/d e.md: its name has other characters",
        ".mcp.json: 1:1: it is not JSON",
    ]) {
        assert!(problem.contains(expected), "{expected}\n{said:#?}");
    }
    assert_eq!(said.len(), 9, "{said:#?}");
    assert_eq!(reading.plugin.unwrap().commands.len(), 1);
    let empty = tempfile::tempdir().unwrap();
    let none = read(empty.path());
    assert!(!is_plugin(empty.path()) && none.plugin.is_none());
    assert!(problems(&none)[0].contains("a plugin has"), "{none:?}");
}
