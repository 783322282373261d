use scorel_proto::{
    AgentTaskStatus, AgentWorkspace, QuotaPolicy, QuotaStrategy, ResultDelivery, ThinkingLevel,
    ToolPreset,
};

use super::agents::AgentsCommand;
use super::runtimes::RuntimesCommand;
use super::tail::TailArgs;
use super::worktrees::WorktreesCommand;
use super::*;
use crate::agent_task_selector::AgentTaskSelector;
use crate::selector::SessionSelector;
use crate::turn_selector::TurnSelector;
use crate::worktree_selector::WorktreeSelector;

fn parse(line: &str) -> Result<CliCommand, clap::Error> {
    let words = std::iter::once("scorelctl").chain(line.split(' '));
    CliArguments::try_parse_from(words).map(|arguments| arguments.command.expect("a verb"))
}

fn tail(line: &str) -> TailArgs {
    match parse(line) {
        Ok(CliCommand::Tail(args)) => args,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_command_line_is_consistent() {
    CliArguments::command().debug_assert();
}

#[test]
fn the_exit_codes_have_a_page() {
    let mut root = CliArguments::command();
    let page = root.find_subcommand_mut("exit-codes").expect("a page");
    let help = page.render_long_help().to_string();
    assert!(
        help.contains("130  Interrupted before the message was accepted."),
        "{help}"
    );
}

#[test]
fn following_can_be_switched_off_in_two_ways() {
    assert!(tail("tail").follows());
    assert!(tail("tail --follow").follows());
    assert!(tail("tail --follow=true").follows());
    assert!(!tail("tail --follow=false").follows());
    assert!(!tail("tail --no-follow").follows());
    assert!(parse("tail --no-follow --follow=true").is_err());
}

#[test]
fn global_options_stand_anywhere() {
    let words = [
        "scorelctl",
        "status",
        "--json",
        "--home",
        "/h",
        "--no-start",
    ];
    let arguments = CliArguments::try_parse_from(words).expect("parsed");
    assert!(arguments.global.json && arguments.global.no_start);
}

#[test]
fn a_message_is_words_or_a_dash() {
    for (line, expected) in [
        ("send fix the bug", vec!["fix", "the", "bug"]),
        ("send -", vec!["-"]),
        ("send -- --help", vec!["--help"]),
    ] {
        let Ok(CliCommand::Send(args)) = parse(line) else {
            panic!("{line}")
        };
        assert_eq!(args.text, expected);
    }
}

#[test]
fn a_place_in_the_conversation_may_be_a_negative_number() {
    for (line, expected) in [
        ("rewind", TurnSelector::Back(1)),
        ("rewind -3", TurnSelector::Back(3)),
        ("rewind root --json", TurnSelector::Root),
        ("rewind 9FAV", TurnSelector::Event("9FAV".to_owned())),
    ] {
        let Ok(CliCommand::Connected(ConnectedCommand::Rewind(args))) = parse(line) else {
            panic!("{line}")
        };
        assert_eq!(args.event, expected, "{line}");
    }
    let Ok(CliCommand::Connected(ConnectedCommand::Resend(args))) =
        parse("resend --turn -2 say it better")
    else {
        panic!("parsed")
    };
    assert_eq!(args.turn, TurnSelector::Back(2));
    assert_eq!(args.text, ["say", "it", "better"]);
    let Ok(CliCommand::Connected(ConnectedCommand::Rewind(args))) = parse("rewind --session ses_1")
    else {
        panic!("parsed")
    };
    assert_eq!(args.event, TurnSelector::Back(1));
    assert!(parse("branch -1").is_err());
    assert!(parse("branch").is_err());
}

#[test]
fn invalid_command_lines_are_refused() {
    for line in [
        "tail --from-seq -1",
        "tail --from-seq 9007199254740992",
        "send --while-running wait x",
        "sessions --all --project /x",
        "fsck --session=",
        "init --api openai-completions",
        "call",
        "dance",
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()), "{line}");
    }
}

#[test]
fn a_quota_without_parts_is_only_told() {
    let policy = |line: &str| {
        let Ok(CliCommand::Connected(ConnectedCommand::Agents(args))) = parse(line) else {
            panic!("{line}")
        };
        let Some(AgentsCommand::Quota(args)) = args.action else {
            panic!("{line}")
        };
        args.policy()
    };
    assert_eq!(policy("agents quota reviewer"), None);
    assert_eq!(
        policy("agents quota reviewer --clear --project /x"),
        Some(QuotaPolicy::default())
    );
    let given = policy("agents quota reviewer 3 --workflow fix=1 --workflow a=b=0 --serial");
    let expected = QuotaPolicy {
        project: Some(3),
        workflow: [("fix".to_owned(), 1), ("a=b".to_owned(), 0)].into(),
        strategy: QuotaStrategy::Serial,
    };
    assert_eq!(given, Some(expected));
}

#[test]
fn an_agent_is_set_in_parts() {
    let line = "agents set reviewer --workspace worktree --thinking-level high --tools readonly \
                --capability a --capability b --default-quota 0 --disable";
    let Ok(CliCommand::Connected(ConnectedCommand::Agents(args))) = parse(line) else {
        panic!("parsed")
    };
    let Some(AgentsCommand::Set(args)) = args.action else {
        panic!("set")
    };
    assert_eq!(args.workspace, Some(AgentWorkspace::Worktree));
    assert_eq!(args.thinking_level, Some(ThinkingLevel::High));
    assert_eq!(args.tools, Some(ToolPreset::Readonly));
    assert_eq!(args.capability, ["a", "b"]);
    assert_eq!(args.default_quota, Some(0));
    assert!(args.disable && !args.enable);
}

#[test]
fn a_task_is_words_and_its_result_stays_unless_it_is_to_be_delivered() {
    let Ok(CliCommand::Spawn(args)) = parse("spawn --wait reviewer look at it") else {
        panic!("parsed")
    };
    assert_eq!((args.agent_type.as_str(), args.wait), ("reviewer", true));
    assert_eq!(args.prompt, ["look", "at", "it"]);
    assert_eq!(args.deliver, ResultDelivery::None);
    assert_eq!(args.parent, None);
    let line = "spawn developer -- --fix it --deliver turn";
    let Ok(CliCommand::Spawn(args)) = parse(line) else {
        panic!("parsed")
    };
    assert_eq!(args.prompt, ["--fix", "it", "--deliver", "turn"]);
}

#[test]
fn runtimes_are_listed_shown_moved_and_stopped() {
    let Ok(CliCommand::Connected(ConnectedCommand::Runtimes(args))) =
        parse("runtimes --status waiting_input --agent x")
    else {
        panic!("parsed")
    };
    assert_eq!(args.status, Some(AgentTaskStatus::WaitingInput));
    assert_eq!(args.limit, 50);
    let part = || AgentTaskSelector::Part("5FAV".to_owned());
    let Ok(CliCommand::Connected(ConnectedCommand::Runtimes(args))) =
        parse("runtimes move 5FAV 2 --json")
    else {
        panic!("parsed")
    };
    let Some(RuntimesCommand::Move { runtime, position }) = args.action else {
        panic!("move")
    };
    assert_eq!((runtime, position), (part(), 2));
    let Ok(CliCommand::Connected(ConnectedCommand::Worktrees(args))) =
        parse("worktrees remove 5FAV --force")
    else {
        panic!("parsed")
    };
    let Some(WorktreesCommand::Remove { owner, force }) = args.action else {
        panic!("remove")
    };
    let part = WorktreeSelector::Part("5FAV".to_owned());
    assert_eq!((owner, force), (part, true));
    let Ok(CliCommand::Connected(ConnectedCommand::Graph(args))) = parse("graph ses_01") else {
        panic!("parsed")
    };
    let part = SessionSelector::Part("ses_01".to_owned());
    assert_eq!(args.session, Some(part));
}

#[test]
fn invalid_command_lines_about_agents_are_refused() {
    for line in [
        "agents set",
        "agents set x --enable --disable",
        "agents set x --workspace mine",
        "agents set x --thinking-level much",
        "agents set x --tools some",
        "agents quota x -1",
        "agents quota x 1 --clear",
        "agents quota x --serial --concurrent",
        "agents quota x --workflow fix",
        "agents quota x --workflow =1",
        "agents quota x --workflow fix=many",
        "spawn",
        "spawn x --deliver soon y",
        "runtimes --status done",
        "runtimes --limit 0",
        "runtimes --all --project /x",
        "runtimes move 5FAV 0",
        "runtimes stop",
        "worktrees remove",
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()), "{line}");
    }
}
