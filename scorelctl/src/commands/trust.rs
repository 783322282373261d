use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::{
    GetTrust, GetTrustParams, ItemContent, ItemProgram, ProjectId, SetTrust, SetTrustParams,
    TrustFile, TrustItem, TrustState, TrustedItem, counted,
};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) change: Option<TrustChange>,
}

/// A change of trust.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustChange {
    /// Trust items as they are now
    Add {
        /// Items, such as skill:review
        #[arg(value_name = "ITEM", required_unless_present = "all",
            value_parser = NonEmptyStringValueParser::new())]
        items: Vec<String>,
        /// Everything that the project brings
        #[arg(long, conflicts_with = "items")]
        all: bool,
    },
    /// Take trust back
    Remove {
        /// Items, such as skill:review
        #[arg(value_name = "ITEM", required = true,
            value_parser = NonEmptyStringValueParser::new())]
        items: Vec<String>,
    },
}

/// The width of an item, in columns.
const ITEM_WIDTH: usize = 26;

/// Said once, below items that run programs.
const NOT_COVERED: &str =
    "Trust covers what is listed here, not what these programs and files load or start in turn.";

/// The part of a digest that is shown.
const DIGEST_CHARS: usize = 12;

pub(super) async fn run(args: &TrustArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let project_id = cli.registered(args.project.as_deref()).await?.project_id;
    let shown = cli.call::<GetTrust>(&GetTrustParams { project_id }).await?;
    let Some(change) = &args.change else {
        let none = "the project brings nothing that needs trust";
        return cli.list(&shown, rows(&shown.items), none);
    };
    let params = params(project_id, change, &shown.items)?;
    let answer = cli.call::<SetTrust>(&params).await?;
    let is_named = |it: &&TrustItem| params.items.iter().any(|named| named.item == it.item);
    cli.result(&answer, |output| {
        output.lines(rows(answer.items.iter().filter(is_named)))
    })
}

/// The items with the digests that were just shown: what changes in between is not trusted.
fn params(
    project_id: ProjectId,
    change: &TrustChange,
    shown: &[TrustItem],
) -> Result<SetTrustParams, Failure> {
    let (names, trusted): (Vec<String>, bool) = match change {
        TrustChange::Add { all: true, .. } => {
            let usable = shown.iter().filter(|it| it.problem.is_none());
            (usable.map(|it| it.item.clone()).collect(), true)
        }
        TrustChange::Add { items, .. } => (items.clone(), true),
        TrustChange::Remove { items } => (items.clone(), false),
    };
    let mut items = Vec::new();
    for name in names {
        let found = shown.iter().find(|it| it.item == name);
        let found = found.ok_or_else(|| unknown(&name, shown))?;
        if let (Some(problem), true) = (&found.problem, trusted) {
            let message = format!("{name} cannot be trusted: {problem}");
            return Err(Failure::refused("invalid_params", message));
        }
        items.push(TrustedItem {
            item: name,
            digest: found.digest.clone().filter(|_| trusted),
        });
    }
    Ok(SetTrustParams {
        project_id,
        items,
        trusted,
    })
}

fn unknown(name: &str, shown: &[TrustItem]) -> Failure {
    let names: Vec<&str> = shown.iter().map(|it| it.item.as_str()).collect();
    let message = format!("the project has no item {name}");
    let failure = Failure::refused("invalid_params", message);
    match names.as_slice() {
        [] => failure.hint("it brings nothing that needs trust"),
        names => failure.hint(format!("it has {}", names.join(", "))),
    }
}

fn rows<'a>(items: impl IntoIterator<Item = &'a TrustItem>) -> Vec<String> {
    let mut rows = Vec::new();
    let mut runs = false;
    for item in items {
        runs |= !item.content.programs.is_empty();
        let state = wire_name(item.state);
        let digest = item.digest.as_deref().unwrap_or("-");
        let digest = digest.get(..DIGEST_CHARS).unwrap_or(digest);
        let (name, path) = (one_line(&item.item), one_line(&item.path));
        rows.push(format!(
            "{name:<ITEM_WIDTH$}  {state:<9}  {digest:<DIGEST_CHARS$}  {path}"
        ));
        if let Some(problem) = &item.problem {
            rows.push(format!("    ({})", one_line(problem)));
        }
        rows.extend(content_rows(&item.content));
        if item.config_changed {
            rows.push("    modified  what the project's configuration says of it".to_owned());
        }
        if item.state != TrustState::Trusted {
            rows.extend(item.files.iter().map(file_row));
            if item.more_files > 0 {
                rows.push(format!("    ({})", counted(item.more_files, "more file")));
            }
        }
    }
    if runs {
        rows.push(NOT_COVERED.to_owned());
    }
    rows
}

/// The programs of an item, and the things that it names and that do not run.
fn content_rows(content: &ItemContent) -> Vec<String> {
    let mut rows: Vec<String> = content.programs.iter().map(program_row).collect();
    let names = [
        ("tools", &content.tools),
        ("commands", &content.commands),
        ("skills", &content.skills),
    ];
    for (kind, names) in names.iter().filter(|(_, names)| !names.is_empty()) {
        rows.push(format!("    {kind}: {}", one_line(&names.join(", "))));
    }
    let not_run = content.not_run.iter();
    rows.extend(not_run.map(|it| format!("    not run: {}", one_line(it))));
    rows
}

fn program_row(program: &ItemProgram) -> String {
    let command = one_line(&program.command);
    if ["http://", "https://"]
        .iter()
        .any(|it| command.starts_with(it))
    {
        let mut row = format!("    asks: {command}");
        if !program.environment.is_empty() {
            let headers = one_line(&program.environment.join(", "));
            row.push_str(&format!("; sends {headers}"));
        }
        return row;
    }
    let mut row = format!("    runs: {command}");
    let mut add = |text: String| row.push_str(&text);
    if let Some(directory) = &program.directory {
        add(format!("; in {}", one_line(directory)));
    }
    if !program.events.is_empty() {
        add(format!("; at {}", one_line(&program.events.join(", "))));
    }
    add(match (program.unsandboxed, program.network) {
        (true, _) => "; outside of the sandbox".to_owned(),
        (false, true) => "; in the sandbox, with the network".to_owned(),
        (false, false) => "; in the sandbox, without network".to_owned(),
    });
    if !program.environment.is_empty() {
        add(format!(
            "; gets {}",
            one_line(&program.environment.join(", "))
        ));
    }
    row
}

fn file_row(file: &TrustFile) -> String {
    let path = one_line(&file.path);
    match file.change {
        None => format!("    {path}"),
        Some(change) => format!("    {:<9} {path}", wire_name(change)),
    }
}
