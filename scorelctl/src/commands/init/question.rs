use super::args::InitArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::typed_answer::ask;
use scorel_screen::escape::one_line;

/// The maximum number of choices listed.
const MAX_SHOWN_CHOICES: usize = 20;

/// Chooses among at least one choice: the only one, the first with `--yes`, or the user's answer to
/// a prompt. An empty answer means the first. The list has a head, if there is one.
pub(super) async fn choose(
    (what, head): (&str, &str),
    choices: &[String],
    args: &InitArgs,
    output: &mut Output,
) -> Result<usize, Failure> {
    if choices.len() == 1 || args.yes {
        return Ok(0);
    }
    if !output.can_ask() {
        let message = format!(
            "{} are available, and there is no terminal to ask on",
            choices.len()
        );
        return Err(Failure::usage(format!("no {what} given: {message}"))
            .hint(format!("pass --{what}, or --yes to use the first one")));
    }
    if !head.is_empty() {
        output.note(head)?;
    }
    for (number, choice) in choices.iter().take(MAX_SHOWN_CHOICES).enumerate() {
        output.note(&format!("{:>3}  {}", number + 1, one_line(choice)))?;
    }
    if choices.len() > MAX_SHOWN_CHOICES {
        let more = choices.len() - MAX_SHOWN_CHOICES;
        output.note(&format!(
            "     and {more} more, which you can enter by name"
        ))?;
    }
    loop {
        let answer = ask(&format!("{what} [1]: "), output).await?;
        let none = || Failure::new(Exit::Interrupted, "interrupted", "no answer");
        let answer = answer.ok_or_else(none)?;
        match pick(answer.trim(), choices) {
            Some(choice) => return Ok(choice),
            None => output.note("not one of the choices")?,
        }
    }
}

/// The choice with this number or name.
fn pick(answer: &str, choices: &[String]) -> Option<usize> {
    if answer.is_empty() {
        return Some(0);
    }
    let first_word = |choice: &String| choice.split(' ').next() == Some(answer);
    let by_name = || choices.iter().position(first_word);
    match answer.parse::<usize>() {
        Ok(number) if (1..=choices.len()).contains(&number) => Some(number - 1),
        _ => by_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::pick;

    #[test]
    fn a_choice_is_a_number_a_name_or_the_first() {
        let choices = ["openai  a key", "ollama  here", "7"].map(str::to_owned);
        for (answer, expected) in [
            ("", Some(0)),
            ("2", Some(1)),
            ("ollama", Some(1)),
            ("7", Some(2)),
            ("0", None),
            ("4", None),
            ("open", None),
        ] {
            assert_eq!(pick(answer, &choices), expected, "{answer}");
        }
    }
}
