use clap::Args;
use scorel_proto::{GetUsage, GetUsageParams, UsageGrouping, UsageRow, UsageTotal, counted};

use super::cost_text::cost_text;
use crate::args::one_of;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// The unit that each row sums up
    #[arg(long, value_name = "WHAT", default_value = "day", value_parser = one_of(GROUPINGS))]
    pub(crate) by: UsageGrouping,
    /// First day, such as 2026-11-22 [default: the first there is]
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// Last day [default: today]
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
}

const GROUPINGS: [(&str, &str, UsageGrouping); 4] = [
    ("day", "A day in the daemon's time zone", UsageGrouping::Day),
    ("model", "A model", UsageGrouping::Model),
    ("project", "A project", UsageGrouping::Project),
    ("session", "A session", UsageGrouping::Session),
];

/// The columns after the first, right-aligned: their titles and widths.
const COLUMNS: [(&str, usize); 5] = [
    ("calls", 7),
    ("input", 12),
    ("cached", 12),
    ("output", 10),
    ("cost", 12),
];

pub(super) async fn run(args: &UsageArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = GetUsageParams {
        from: args.from.clone(),
        to: args.to.clone(),
        by: args.by,
    };
    let answer = cli.call::<GetUsage>(&params).await?;
    cli.result(&answer, |output| {
        if answer.rows.is_empty() {
            return output.note("no model calls");
        }
        output.lines(table(&answer.rows, &answer.total, args.by))
    })?;
    if let Some(count) = answer.left_out {
        cli.note(&format!(
            "in the total only: {}",
            counted(count, "more row")
        ))?;
    }
    if answer.total.cost.unpriced > 0 {
        let text = "+ marks sums without the calls of models whose price is not known";
        cli.note(text)?;
    }
    if !answer.unreadable.is_empty() {
        let count = counted(answer.unreadable.len(), "unreadable session");
        cli.note(&format!(
            "calls may be missing: {count}; see `scorelctl fsck`"
        ))?;
    }
    Ok(())
}

fn table(rows: &[UsageRow], total: &UsageTotal, by: UsageGrouping) -> Vec<String> {
    let title = &wire_name(by);
    let names: Vec<String> = rows.iter().map(name).collect();
    let widths = names.iter().map(|name| name.chars().count());
    let width = widths.chain([title.len(), "total".len()]).max();
    let width = width.unwrap_or_default();
    let head = COLUMNS.map(|(title, _)| title.to_owned());
    let mut lines = vec![line(title, width, &head)];
    for (row, name) in rows.iter().zip(&names) {
        lines.push(line(name, width, &cells(&row.total)));
    }
    lines.push(line("total", width, &cells(total)));
    lines
}

fn name(row: &UsageRow) -> String {
    match &row.name {
        Some(name) => format!("{}  {}", row.key, one_line(name)),
        None => one_line(&row.key),
    }
}

fn line(name: &str, width: usize, cells: &[String; 5]) -> String {
    let mut line = format!("{name:width$}");
    for (cell, (_, width)) in cells.iter().zip(COLUMNS) {
        line.push_str(&format!(" {cell:>width$}"));
    }
    line
}

fn cells(total: &UsageTotal) -> [String; 5] {
    let usage = &total.usage;
    [
        total.calls.to_string(),
        usage.input_tokens.to_string(),
        usage.cache_read_tokens.to_string(),
        usage.output_tokens.to_string(),
        cost_text(&total.cost),
    ]
}

#[cfg(test)]
mod tests {
    use scorel_proto::Usage;

    use super::*;

    #[test]
    fn columns_are_aligned_and_what_is_unpriced_is_marked() {
        let total = |micro_usd, unpriced| UsageTotal {
            calls: 3,
            usage: Usage {
                input_tokens: 1_200,
                output_tokens: 40,
                cache_read_tokens: 1_000,
                ..Usage::default()
            },
            cost: scorel_proto::CostTotal {
                micro_usd,
                unpriced,
            },
        };
        let row = |key: &str, name: Option<&str>, total| UsageRow {
            key: key.to_owned(),
            name: name.map(str::to_owned),
            total,
        };
        let rows = [
            row("prj_1", Some("scorel"), total(1_234_567, 0)),
            row("prj_22", None, total(0, 1_240)),
        ];
        let lines = table(&rows, &total(1_234_567, 1_240), UsageGrouping::Project);
        let expected = [
            "project         calls        input       cached     output         cost",
            "prj_1  scorel       3         1200         1000         40      $1.2346",
            "prj_22              3         1200         1000         40     $0.0000+",
            "total               3         1200         1000         40     $1.2346+",
        ];
        assert_eq!(lines, expected);
    }
}
