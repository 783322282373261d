//! Notices to the user about a turn.

use scorel_permission::Mode;
use scorel_proto::NoticeBody;

const NO_SANDBOX: &str = "sandbox_missing";

const NO_SANDBOX_TEXT: &str = "\
This kernel cannot keep commands in a sandbox, so that the mode `workspace` behaves like `ask`, and \
every command is asked about. `scorelctl doctor` says what is missing.";

/// The notices of a turn that can run commands in this mode.
pub(crate) fn of_turn(mode: Mode, has_sandbox: bool) -> Vec<NoticeBody> {
    if mode != Mode::Workspace || has_sandbox {
        return Vec::new();
    }
    vec![NoticeBody {
        code: NO_SANDBOX.to_owned(),
        text: NO_SANDBOX_TEXT.to_owned(),
    }]
}

/// A runner cannot give tasks to agents.
pub(crate) fn without_agent_tools(runner: &str, reason: &str) -> NoticeBody {
    NoticeBody {
        code: format!("agent_tools_missing.{runner}"),
        text: format!("{runner} is not offered the tools that give tasks to agents: {reason}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_sandbox_is_said_in_the_mode_that_relies_on_it() {
        for mode in [Mode::Readonly, Mode::Ask, Mode::Full] {
            assert!(of_turn(mode, false).is_empty());
        }
        assert!(of_turn(Mode::Workspace, true).is_empty());
        assert_eq!(of_turn(Mode::Workspace, false)[0].code, NO_SANDBOX);
    }
}
