//! `[channels]` of the user's file.

use scorel_inbound::{CatchUp, CronSession, Overlap};
use scorel_proto::{ChannelKind, PermissionMode};

use super::{refused, user, with_project};
use crate::Config;

const LOOK: &str =
    "[[channels.cron]]\nname = 'look'\nschedule = '@daily'\nproject = '/p'\nprompt = 'look'\n";

#[test]
fn a_schedule_has_its_defaults_and_a_project_has_none() {
    let config = user(LOOK).unwrap();
    let [look] = config.channels.cron.as_slice() else {
        panic!("{:?}", config.channels);
    };
    assert_eq!(
        (look.session, look.catch_up),
        (CronSession::New, CatchUp::One)
    );
    assert_eq!(
        (look.overlap, look.mode),
        (Overlap::Skip, PermissionMode::Readonly)
    );
    assert_eq!(config.channels.enabled, ChannelKind::ALL);
    let config = with_project(&Config::default(), LOOK).unwrap();
    assert!(config.channels.cron.is_empty());
    assert_eq!(config.warnings[0].key, "channels.cron");
}

#[test]
fn a_schedule_that_is_none_is_reported_with_its_place() {
    let with = |key: &str, value: &str| {
        let line = LOOK.lines().position(|line| line.starts_with(key));
        let mut lines: Vec<String> = LOOK.lines().map(str::to_owned).collect();
        let text = format!("{key} = {value}");
        match line {
            Some(at) => lines[at] = text,
            None => lines.push(text),
        }
        lines.join("\n")
    };
    for (text, place, said) in [
        (
            with("schedule", "'0 0 31 2 *'"),
            Some((3, 12)),
            "\"0 0 31 2 *\" is never due",
        ),
        (
            with("schedule", "'61 * * * *'"),
            Some((3, 12)),
            "not a schedule",
        ),
        (
            with("timezone", "'Mars/Base'"),
            Some((6, 12)),
            "no time zone",
        ),
        (
            with("name", "'Look'"),
            Some((2, 8)),
            "not a name of a channel",
        ),
        (with("project", "'p'"), Some((4, 11)), "an absolute path"),
        (with("prompt", "' '"), Some((1, 1)), "it is empty"),
        (with("mode", "'auto'"), Some((6, 8)), "cannot be `auto`"),
        (
            format!("{LOOK}{LOOK}"),
            Some((6, 1)),
            "another schedule `look`",
        ),
        (
            "[[channels.webhook]]\npath = 'x'\n".to_owned(),
            Some((1, 1)),
            "come with a later version",
        ),
        (
            "[channels]\nenabled = ['chat']\n".to_owned(),
            Some((2, 12)),
            "cannot be `chat`",
        ),
    ] {
        let (found, _, _, reason) = refused(&text);
        assert!(reason.contains(said), "{text}: {reason}");
        assert_eq!(found, place, "{text}: {reason}");
    }
}
