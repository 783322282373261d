use scorel_session::CompactionSettings;

use super::*;

#[test]
fn an_empty_file_means_the_defaults() {
    for text in [
        "",
        "\n# nothing\n",
        "\u{feff}",
        "[model]\nprovider = \"demo\"\n",
        "[runtime]\n[rpc]\n",
    ] {
        assert_eq!(user(text).unwrap(), Config::default(), "{text:?}");
    }
    let config = Config::default();
    assert!(config.model.is_demo());
    assert_eq!(config.rpc.validate(), Ok(()));
    assert_eq!(config.rpc, RpcLimits::default());
    assert_eq!(config.runtime.timeouts, Timeouts::default());
}

#[test]
fn every_key_is_read() {
    let config = user(
        r#"
        [sessions]
        durability = "flush"
        ringBytes = 65_536
        idleUnloadSeconds = 7
        trashDays = 2
        [runtime]
        maxSteps = 3
        maxTurnSeconds = 4
        maxTurnTokens = 5
        maxToolCalls = 6
        retries = 0
        connectSeconds = 1
        firstByteSeconds = 2
        providerIdleSeconds = 3
        onRestart = "mark"
        [rpc]
        maxFrameIn = 1024
        maxFrameOut = 262_144
        maxDepth = 8
        maxBatch = 1
        maxValues = 256
        maxConnections = 2
        maxCalls = 3
        inFlightBytes = 65_536
        maxSubscriptions = 4
        outboxBytes = 65_536
        writeTimeoutSeconds = 5
        partialFrameSeconds = 6
        drainSeconds = 7
        [compaction]
        reserveTokens = 256
        keepTokens = 0
        summaryTokens = 300
        [auxiliary]
        model = "openai:small"
        "#,
    )
    .unwrap();
    let compaction = CompactionSettings {
        reserve_tokens: 256,
        keep_tokens: 0,
        summary_tokens: 300,
    };
    assert_eq!(config.compaction, compaction);
    assert_eq!(config.auxiliary.model.as_deref(), Some("openai:small"));
    assert_eq!(config.sessions.durability, Durability::Flush);
    assert_eq!(config.sessions.ring_bytes, 65_536);
    assert_eq!(config.sessions.idle_unload.as_secs(), 7);
    assert_eq!(config.sessions.trash_keep.as_secs(), 2 * 24 * 60 * 60);
    let runtime = &config.runtime;
    assert_eq!((runtime.max_steps, runtime.max_turn.as_secs()), (3, 4));
    assert_eq!(
        (
            runtime.max_turn_tokens,
            runtime.max_tool_calls,
            runtime.retries
        ),
        (5, 6, 0)
    );
    let timeouts = &runtime.timeouts;
    let seconds = [timeouts.connect, timeouts.first_byte, timeouts.idle].map(|d| d.as_secs());
    assert_eq!(seconds, [1, 2, 3]);
    let rpc = &config.rpc;
    assert_eq!(
        (rpc.frame_in, rpc.frame_out, rpc.nesting, rpc.batch),
        (1024, 262_144, 8, 1)
    );
    assert_eq!((rpc.values, rpc.in_flight), (256, 65_536));
    assert_eq!(
        (rpc.connections, rpc.calls, rpc.subscriptions, rpc.outbox),
        (2, 3, 4, 65_536)
    );
    let seconds = [rpc.write_timeout, rpc.partial_frame, rpc.drain].map(|d| d.as_secs());
    assert_eq!(seconds, [5, 6, 7]);
    assert_eq!(rpc.validate(), Ok(()));
}

#[test]
fn an_unknown_name_is_refused_with_its_place_and_what_was_meant() {
    let cases = [
        ("[modle]\nid = 'x'", (1, 2), "modle", Some("model")),
        (
            "\n[runtime]\nmaxStep = 3",
            (3, 1),
            "runtime.maxStep",
            Some("maxSteps"),
        ),
        (
            "[runtime]\nmax_steps = 3",
            (2, 1),
            "runtime.max_steps",
            Some("maxSteps"),
        ),
        (
            "[rpc]\n  maxcalls = 3",
            (2, 3),
            "rpc.maxcalls",
            Some("maxCalls"),
        ),
        (
            "[model]\napikeyenv = 'X'",
            (2, 1),
            "model.apikeyenv",
            Some("apiKeyEnv"),
        ),
        (
            "sessionsDir = '/tmp/nope'",
            (1, 1),
            "sessionsDir",
            Some("sessions"),
        ),
        ("[zzz]", (1, 2), "zzz", None),
        ("runtime.'ümlaut' = 1", (1, 9), "runtime.ümlaut", None),
        (
            "[sessions]\ndurability = 'synk'",
            (2, 14),
            "sessions.durability",
            Some("sync"),
        ),
        (
            "[model]\ntype = 'buildin'",
            (2, 8),
            "model.type",
            Some("builtin"),
        ),
        (
            "[model]\napi = 'openai_completion'",
            (2, 7),
            "model.api",
            Some("openai-completions"),
        ),
        (
            "[model]\nthinkingLevel = 'hi'",
            (2, 17),
            "model.thinkingLevel",
            Some("high"),
        ),
        (
            "[runtime]\nonRestart = 'again'",
            (2, 13),
            "runtime.onRestart",
            None,
        ),
    ];
    for (text, place, key, meant) in cases {
        let (found_place, found_key, found_meant, reason) = refused(text);
        assert_eq!(found_place, Some(place), "{text}: {reason}");
        assert_eq!(found_key.as_deref(), Some(key), "{text}: {reason}");
        assert_eq!(found_meant.as_deref(), meant, "{text}: {reason}");
    }
}

#[test]
fn a_value_of_the_wrong_kind_or_size_is_refused_with_its_key_and_place() {
    let cases = [
        ("[runtime]\nmaxSteps = 0", (2, 12), "runtime.maxSteps"),
        ("[runtime]\nmaxSteps = -1", (2, 12), "runtime.maxSteps"),
        ("[runtime]\nmaxSteps = 1.5", (2, 12), "runtime.maxSteps"),
        ("[runtime]\nmaxSteps = inf", (2, 12), "runtime.maxSteps"),
        ("[runtime]\nmaxSteps = 'many'", (2, 12), "runtime.maxSteps"),
        (
            "[runtime]\nmaxTurnSeconds = 99999999999",
            (2, 18),
            "runtime.maxTurnSeconds",
        ),
        ("[rpc]\nmaxFrameIn = 1", (2, 14), "rpc.maxFrameIn"),
        ("[model]\nreasoning = 'yes'", (2, 13), "model.reasoning"),
        ("[model]\napiKeyEnv = 'sk-123'", (2, 13), "model.apiKeyEnv"),
        ("[model]\ncontextWindow = 5", (2, 17), "model.contextWindow"),
        ("rpc = 5", (1, 7), "rpc"),
    ];
    for (text, place, key) in cases {
        let (found_place, found_key, _, reason) = refused(text);
        assert_eq!(
            (found_place, found_key.as_deref()),
            (Some(place), Some(key)),
            "{text}: {reason}"
        );
        assert!(reason.contains(key), "{reason}");
        assert!(!reason.contains("sk-123"), "{reason}");
    }
}

#[test]
fn what_is_not_toml_is_refused_with_its_place() {
    let cases: [(&[u8], usize); 6] = [
        (b"[model", 1),
        (b"a = 1\na = 2", 2),
        (b"\n\nmodel = = 1", 3),
        (b"x = 99999999999999999999", 1),
        (b"[model]\nid = \"\xff\"", 2),
        (&[0xff, 0xfe, b'[', 0, b'm', 0], 1),
    ];
    for (bytes, line) in cases {
        match parse(Path::new("/c"), bytes) {
            Err(
                error @ ConfigError::Content {
                    position: Some(position),
                    ..
                },
            ) => {
                assert_eq!(position.line, line, "{error}");
            }
            other => panic!("{bytes:?} gave {other:?}"),
        }
    }
}

#[test]
fn an_error_reads_like_a_compilers() {
    let error = user("[runtime]\nmaxStep = 3").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/home/u/.scorel/config.toml:2:1: unknown key `runtime.maxStep`; did you mean `maxSteps`?"
    );
}

#[test]
fn columns_count_characters() {
    let position = Position::of("ä = 1\nüü = x", "ä = 1\nüü = ".len());
    assert_eq!((position.line, position.column), (2, 6));
}

#[test]
fn hosts_that_are_not_public_can_be_named_and_nothing_else() {
    let config = user("[tools]\nfetchPrivate = [\"wiki.lan\", \"127.0.0.1:8080\"]\n").unwrap();
    let named = ["wiki.lan", "127.0.0.1:8080"].map(|host| host.parse().unwrap());
    assert_eq!(config.tools.fetch_private, named);
    let (place, key, _, reason) = refused("[tools]\nfetchPrivate = [\"a\", \"http://b/\"]\n");
    assert_eq!(place, Some((2, 16)));
    assert_eq!(key.as_deref(), Some("tools.fetchPrivate"));
    assert!(reason.contains("expected a host"), "{reason}");
}

#[test]
fn a_rule_that_can_never_match_is_refused_with_its_place_and_what_to_write() {
    for (line, said) in [
        ("allow = [\"Bash(cd x && ls)\"]", "one rule with `cd x`"),
        ("deny = [\"Bash('git push' *)\"]", "write `git push *`"),
        ("ask = [\"Network(CI=1 npm ci)\"]", "write `npm ci`"),
        ("builtinAsk = [\"Bash(rm -r $x)\"]", "`$x` is only known"),
        (
            "builtinAsk = [\"Read(x)\"]",
            "`Read(x)` does not belong here",
        ),
        ("deny = [\"Read(~root/x)\"]", "an absolute path"),
    ] {
        let (place, key, _, reason) = refused(&format!("[permissions]\n{line}\n"));
        assert_eq!(place.map(|(line, _)| line), Some(2), "{line}");
        assert!(key.unwrap().starts_with("permissions."), "{line}");
        assert!(reason.contains(said), "{line}: {reason}");
    }
}

#[test]
fn the_built_in_rules_are_a_list_that_can_be_replaced() {
    let shown = |text: &str| -> Vec<String> {
        let config = user(text).unwrap();
        let rules = config.permissions.builtin_ask();
        rules.map(str::to_owned).collect()
    };
    let all = shown("");
    assert!(all.iter().any(|rule| rule == "Bash(git push *)"), "{all:?}");
    assert!(shown("[permissions]\nbuiltinAsk = []\n").is_empty());
    let text = "[permissions]\nbuiltinAsk = [\"Bash(git push *)\"]\n";
    assert_eq!(shown(text), ["Bash(git push *)"]);
    let config = user("[permissions]\nmode = \"ask\"\n").unwrap();
    assert_eq!(config.permissions.mode.as_str(), "ask");
}

/// The list in the manual is the one that holds.
#[test]
fn the_manual_shows_the_built_in_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md");
    let manual = std::fs::read_to_string(path).unwrap();
    let (_, rest) = manual
        .split_once("```toml\n[permissions]\nbuiltinAsk")
        .unwrap();
    let (list, _) = rest.split_once("```").unwrap();
    let written = user(&format!("[permissions]\nbuiltinAsk{list}")).unwrap();
    assert_eq!(written.permissions, Config::default().permissions);
}

#[test]
fn a_project_cannot_remove_a_built_in_rule() {
    let config = with_project(&Config::default(), "[permissions]\nbuiltinAsk = []\n").unwrap();
    assert_eq!(config.permissions, Config::default().permissions);
    assert_eq!(config.warnings[0].key, "permissions.builtinAsk");
}

#[test]
fn limits_of_commands_have_defaults_and_ranges() {
    use scorel_exec::ResourceLimits;

    let text = "[tools.limits]\nprocesses = 100\nopenFiles = 4096\nfileSize = 1048576\n";
    let limits = user(text).unwrap().tools.limits;
    let expected = ResourceLimits {
        processes: 100,
        open_files: 4096,
        file_size: 1 << 20,
        ..ResourceLimits::default()
    };
    assert_eq!(limits, expected);
    let usual = user("").unwrap().tools.limits;
    assert_eq!((usual.processes, usual.open_files), (512, 1024));
    assert_eq!((usual.file_size, usual.scratch_space), (2 << 30, 4 << 30));
    let (_, key, _, _) = refused("[tools.limits]\nmemory = 1000\n");
    assert_eq!(key.as_deref(), Some("tools.limits.memory"));
}
