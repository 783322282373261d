use scorel_proto::{OWN_RUNNER, Session};

use super::args::SendArgs;

/// Says which model or runner the session keeps, also after a turn that has failed because of it. Empty if it
/// uses the default ones.
pub(super) fn kept_choice(args: &SendArgs, session: &Session) -> String {
    let runner = args.runner.as_ref().unwrap_or(&session.runner);
    let model = args.model.as_ref().or(session.model.as_ref());
    let (what, name) = match model {
        _ if runner != OWN_RUNNER => ("runner", runner),
        Some(model) => ("model", model),
        None => return String::new(),
    };
    format!(
        "hint: the session keeps the {what} `{name}` until `scorelctl send --{what} NAME` changes it; \
         `scorelctl {what}s` lists the available ones"
    )
}
