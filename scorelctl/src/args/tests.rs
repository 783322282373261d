use clap::CommandFactory;

use super::*;
use crate::turn_selector::TurnSelector;

fn parse(line: &str) -> Result<CliCommand, clap::Error> {
    let words = std::iter::once("scorelctl").chain(line.split(' '));
    CliArguments::try_parse_from(words).map(|arguments| arguments.command)
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
fn the_help_lists_the_exit_codes() {
    let help = CliArguments::command().render_long_help().to_string();
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
        let Ok(CliCommand::Rewind(args)) = parse(line) else {
            panic!("{line}")
        };
        assert_eq!(args.event, expected, "{line}");
    }
    let Ok(CliCommand::Resend(args)) = parse("resend --turn -2 say it better") else {
        panic!("parsed")
    };
    assert_eq!(args.turn, TurnSelector::Back(2));
    assert_eq!(args.text, ["say", "it", "better"]);
    let Ok(CliCommand::Rewind(args)) = parse("rewind --session ses_1") else {
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
        "init --key-env sk-123",
        "init --api openai-completions",
        "call",
        "dance",
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()), "{line}");
    }
}
