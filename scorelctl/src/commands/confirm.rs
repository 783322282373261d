use crate::failure::Failure;
use crate::output::Output;
use crate::typed_answer::ask;

/// Asks the user a question that `y` answers with yes, and anything else with no. Then it says that nothing was
/// changed.
pub(super) async fn confirm(question: &str, output: &mut Output) -> Result<bool, Failure> {
    if !output.can_ask() {
        let message = "there is no terminal to ask on";
        return Err(Failure::usage(message).hint("pass --yes to go on without a question"));
    }
    output.note(question)?;
    let line = ask("[y/N] ", output).await?;
    match line.unwrap_or_default().trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        _ => {
            output.note("nothing was changed")?;
            Ok(false)
        }
    }
}
