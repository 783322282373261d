use std::io;

use scorel_proto::{ListModels, ListModelsParams, ListModelsResult, Model, ModelPrice};

use crate::args::ModelsArgs;
use crate::daemon::DaemonClient;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

pub(super) async fn run(
    args: &ModelsArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let params = ListModelsParams {
        project_id: None,
        provider: args.provider.clone(),
        live: args.offline.then_some(false),
    };
    let answer = control.call::<ListModels>(&params).await?;
    result(output, &answer, |output| table(&answer, output))?;
    remarks(&answer, output)?;
    Ok(Exit::Success)
}

/// Names have the form that `send --model` accepts.
fn table(answer: &ListModelsResult, output: &mut Output) -> io::Result<()> {
    let name = |model: &Model| one_line(&format!("{}:{}", model.provider, model.id));
    let names: Vec<String> = answer.models.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).clamp(5, 60);
    if !answer.models.is_empty() {
        let header = format!(
            "  {:<width$}  {:>7}  {:>7}  {:>15}  {}",
            "MODEL", "WINDOW", "ANSWER", "IN / OUT", "CAN"
        );
        output.line(&header)?;
    }
    for (name, model) in names.iter().zip(&answer.models) {
        let is_default = answer.default_model == format!("{}/{}", model.provider, model.id);
        let mark = if is_default { '*' } else { ' ' };
        let line = format!(
            "{mark} {name:<width$}  {:>7}  {:>7}  {:>15}  {}",
            tokens(model.context_window),
            tokens(model.max_output_tokens),
            model.price.as_ref().map(price).unwrap_or_default(),
            abilities(model),
        );
        output.line(line.trim_end())?;
    }
    Ok(())
}

/// Notes about endpoints that could not be queried, and about the age of prices.
fn remarks(answer: &ListModelsResult, output: &mut Output) -> Result<(), Failure> {
    let default = answer.default_model.split('/').next();
    for provider in &answer.providers {
        let is_default = default == Some(provider.name.as_str());
        let concerns = provider.has_key || provider.custom || is_default;
        if let Some(problem) = provider.problem.as_ref().filter(|_| concerns) {
            let name = &provider.name;
            output.note(&format!(
                "note: the models of {name} could not be queried: {problem}"
            ))?;
        }
    }
    let prices = answer
        .models
        .iter()
        .filter_map(|model| model.price.as_ref());
    let oldest = prices.filter_map(|price| price.noted_on.as_deref()).min();
    if let Some(day) = oldest {
        output.note(&format!(
            "prices: US dollars per million tokens; those of the built-in table are as of {day}"
        ))?;
    }
    Ok(())
}

/// A number of tokens in at most six characters.
pub(super) fn tokens(number: Option<u64>) -> String {
    match number {
        None => String::new(),
        Some(number @ 0..1_000) => number.to_string(),
        Some(number @ 1_000..1_000_000) => format!("{}k", number / 1_000),
        Some(number) => {
            let tenths = number / 100_000;
            match tenths % 10 {
                0 => format!("{}M", tenths / 10),
                tenth => format!("{}.{tenth}M", tenths / 10),
            }
        }
    }
}

fn price(price: &ModelPrice) -> String {
    format!("{} / {}", dollars(price.input), dollars(price.output))
}

/// At least two decimals, and as many as a small price needs.
fn dollars(amount: f64) -> String {
    let exact = format!("{amount:.4}");
    let short = exact.trim_end_matches('0');
    let decimals = short.split_once('.').map_or(0, |(_, digits)| digits.len());
    format!("${amount:.0$}", decimals.max(2))
}

fn abilities(model: &Model) -> String {
    let all = [(model.reasoning, "think"), (model.images, "see")];
    let has = all.into_iter().filter(|(can, _)| *can == Some(true));
    has.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{dollars, tokens};

    #[test]
    fn numbers_of_tokens_are_short() {
        for (number, expected) in [
            (Some(512), "512"),
            (Some(8_192), "8k"),
            (Some(200_000), "200k"),
            (Some(1_000_000), "1M"),
            (Some(1_048_576), "1M"),
            (Some(2_500_000), "2.5M"),
            (None, ""),
        ] {
            assert_eq!(tokens(number), expected);
        }
    }

    #[test]
    fn prices_have_the_digits_that_they_need() {
        for (amount, expected) in [
            (3.0, "$3.00"),
            (0.25, "$0.25"),
            (0.075, "$0.075"),
            (0.0375, "$0.0375"),
            (75.0, "$75.00"),
        ] {
            assert_eq!(dollars(amount), expected);
        }
    }
}
