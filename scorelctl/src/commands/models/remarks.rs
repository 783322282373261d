//! Notes below the table of models.

use scorel_proto::{ListModelsResult, ModelPrice};

use crate::failure::Failure;
use crate::output::Output;
use scorel_screen::escape::one_line;

/// Notes about endpoints that could not be queried, about what the table has wrong, and about the age
/// of prices.
pub(super) fn write(answer: &ListModelsResult, output: &mut Output) -> Result<(), Failure> {
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
    for model in &answer.models {
        for found in &model.differences {
            let text = format!(
                "note: {}:{}: {} is {} at the endpoint, {} in the built-in table",
                model.provider, model.id, found.property, found.listed, found.table
            );
            output.note(&one_line(&text))?;
        }
    }
    let prices = answer
        .models
        .iter()
        .filter_map(|model| model.price.as_ref());
    match about(prices) {
        Some(remark) => Ok(output.note(&remark)?),
        None => Ok(()),
    }
}

/// `None` if no price has a date.
fn about<'a>(prices: impl Iterator<Item = &'a ModelPrice>) -> Option<String> {
    let (mut oldest, mut estimated) = (None::<&str>, false);
    for price in prices {
        let noted = price.noted_on.as_deref();
        oldest = oldest.map_or(noted, |day| Some(noted.map_or(day, |noted| noted.min(day))));
        estimated |= price.estimated;
    }
    let day = oldest?;
    let estimate = match estimated {
        true => "; those with ~ are older than 60 days and may have changed",
        false => "",
    };
    Some(format!(
        "prices: US dollars per million tokens; those of the built-in table are as of {day} or \
         later{estimate}"
    ))
}
