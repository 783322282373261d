use std::io::{self, IsTerminal};

use crate::args::InitArgs;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// How many choices are shown.
const SHOWN: usize = 20;

/// One of the choices, of which there is at least one: the only one, or the first with `--yes`, or
/// what somebody says. Empty input means the first.
pub(super) async fn choose(
    what: &str,
    choices: &[String],
    args: &InitArgs,
    output: &mut Output,
) -> Result<usize, Failure> {
    if choices.len() == 1 || args.yes {
        return Ok(0);
    }
    if output.json || !output.err_is_terminal || !io::stdin().is_terminal() {
        let message = format!(
            "there are {} to choose from, and nobody to ask",
            choices.len()
        );
        return Err(
            Failure::usage(format!("which {what}? {message}")).hint(format!(
                "name the {what} with --{what}, or take the first with --yes"
            )),
        );
    }
    for (number, choice) in choices.iter().take(SHOWN).enumerate() {
        output.note(&format!("{:>3}  {}", number + 1, one_line(choice)))?;
    }
    if choices.len() > SHOWN {
        let more = choices.len() - SHOWN;
        output.note(&format!("     and {more} more, which can be typed"))?;
    }
    loop {
        output.aside(&format!("{what} [1]: "))?;
        let answer = line().await?;
        match pick(answer.trim(), choices) {
            Some(choice) => return Ok(choice),
            None => output.note("that is none of them")?,
        }
    }
}

/// The choice that an answer means: by its number, or by its name.
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

/// A line of standard input, read where waiting for it holds up nothing.
async fn line() -> Result<String, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin()
            .read_line(&mut line)
            .map(|length| (length, line))
    });
    match read.await.map_err(io::Error::other)?? {
        (0, _) => Err(Failure::new(Exit::Interrupted, "interrupted", "no answer")),
        (_, line) => Ok(line),
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
