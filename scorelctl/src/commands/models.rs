mod remarks;
mod row;

use std::io;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_proto::{ListModels, ListModelsParams, ListModelsResult, Model, counted};
use serde::Serialize;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider's models; fail if its endpoint cannot be queried
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) provider: Option<String>,
    /// Do not query any endpoint: list what it listed before, and the built-in and configured models
    #[arg(long)]
    pub(crate) offline: bool,
    /// Also list models of providers for which there is no key
    #[arg(long)]
    pub(crate) all: bool,
}

/// The answer of the daemon, less the models for which there is no key.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownModels {
    #[serde(flatten)]
    answer: ListModelsResult,
    /// The number of models that were left out.
    omitted: usize,
}

pub(super) async fn run(args: &ModelsArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ListModelsParams {
        project_id: None,
        provider: args.provider.clone(),
        live: args.offline.then_some(false),
    };
    let answer = cli.call::<ListModels>(&params).await?;
    // A provider that is named is shown whether there is a key or not.
    let shown = ShownModels::of(answer, args.all || args.provider.is_some());
    cli.result(&shown, |output| table(&shown.answer, output))?;
    if shown.omitted > 0 {
        let more = counted(shown.omitted, "more model");
        cli.note(&format!(
            "{more} of providers without a key: `scorelctl models --all`"
        ))?;
    }
    remarks::write(&shown.answer, cli.output)?;
    Ok(())
}

impl ShownModels {
    fn of(mut answer: ListModelsResult, all: bool) -> Self {
        let before = answer.models.len();
        let is_default = |model: &Model| is_default(&answer.default_model, model);
        answer
            .models
            .retain(|model| all || model.has_key != Some(false) || is_default(model));
        let omitted = before - answer.models.len();
        Self { answer, omitted }
    }
}

fn is_default(default: &str, model: &Model) -> bool {
    default == format!("{}/{}", model.provider, model.id)
}

/// Names have the form that `send --model` accepts.
fn table(answer: &ListModelsResult, output: &mut Output) -> io::Result<()> {
    let name = |model: &Model| one_line(&format!("{}:{}", model.provider, model.id));
    let names: Vec<String> = answer.models.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).clamp(5, 60);
    // Where all have a key there is nothing to mark.
    let marks = answer
        .models
        .iter()
        .any(|model| model.has_key == Some(false));
    let key = |text: &'static str| if marks { text } else { "" };
    if !answer.models.is_empty() {
        let header = format!(
            "  {}{:<width$}  {:>7}  {:>7}  {:>15}  {}",
            key("KEY  "),
            "MODEL",
            "WINDOW",
            "ANSWER",
            "IN / OUT",
            "CAN"
        );
        output.line(&header)?;
    }
    for (name, model) in names.iter().zip(&answer.models) {
        let default = is_default(&answer.default_model, model);
        let mark = if default { '*' } else { ' ' };
        let has_key = key(if model.has_key == Some(false) {
            " -   "
        } else {
            "yes  "
        });
        let line = format!(
            "{mark} {has_key}{name:<width$}  {:>7}  {:>7}  {:>15}  {}",
            tokens(model.context_window),
            tokens(model.max_output_tokens),
            model.price.as_ref().map(row::price).unwrap_or_default(),
            row::notes(model),
        );
        output.line(line.trim_end())?;
    }
    Ok(())
}

/// A model to choose among others of its provider, under the head of [`CHOICES`].
pub(super) fn choice(model: &Model) -> String {
    let price = model.price.as_ref().map(row::price).unwrap_or_default();
    let window = tokens(model.context_window);
    let line = format!(
        "{:<32} {window:>7} {price:>15}  {}",
        model.id,
        row::notes(model)
    );
    line.trim_end().to_owned()
}

/// The head of a list of choices. Prices are in dollars for a million tokens.
pub(super) const CHOICES: &str =
    "     MODEL                             WINDOW        IN / OUT  CAN";

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

#[cfg(test)]
mod tests {
    use super::tokens;

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
}
