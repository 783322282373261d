//! The tables in `docs/configuration.md` say what the loader does.
//!
//! Values, defaults and what a project's file may set are generated. The meaning of a key is written by hand
//! and kept, and so are values and defaults of which the loader knows nothing in words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::schema_probe::{TakenValues, known_in};
use super::user;
use crate::Config;
use crate::keys::KEYS;
use crate::project::is_allowed;
use crate::report::IN_ADDITION;

/// Set this variable to write the tables anew.
const REWRITE: &str = "SCOREL_REWRITE_DOCS";

/// What stands before a table, with the section's name.
const MARKER: &str = "<!-- keys: ";

/// Keys with a size in bytes, besides those whose names say so.
const SIZES: [&str; 6] = [
    "rpc.maxFrameIn",
    "rpc.maxFrameOut",
    "mcp.servers.memory",
    "tools.limits.memory",
    "tools.limits.fileSize",
    "tools.limits.scratchSpace",
];

/// The default is a part of what the machine has.
const OF_THE_MACHINE: &str = "tools.limits.memory";

/// The cells of a row that are kept.
#[derive(Debug, Clone, Default)]
struct WrittenRow {
    values: String,
    default: String,
    meaning: String,
}

#[test]
fn the_tables_of_keys_are_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let found = std::fs::read_to_string(&path).unwrap();
    let page = with_tables(&found);
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == page,
        "docs/configuration.md is out of date; set {REWRITE}=1 and run this again"
    );
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        assert!(
            !line.contains("|  |  |") && !line.ends_with("|  |"),
            "{line}: write its meaning"
        );
    }
}

#[test]
fn every_key_is_on_the_page() {
    let page = include_str!("../../../../docs/configuration.md");
    let sections = KEYS.iter().filter_map(|key| key.name.rsplit_once('.'));
    let own = [
        "providers.NAME",
        "runners.NAME",
        "agents.TYPE",
        "mcp.servers",
        "channels.cron",
    ];
    let own = own.into_iter().flat_map(|section| {
        let names = known_in(section).unwrap();
        names.into_iter().map(move |name| (section, name))
    });
    let keys = sections.map(|(section, name)| (section, name.to_owned()));
    for (section, name) in keys.chain(own) {
        // A price is one row, with the names of its keys.
        let section = section.strip_suffix(".price").unwrap_or(section);
        let (_, text) = page
            .split_once(&format!("{MARKER}{section} -->\n"))
            .expect(section);
        let (table, _) = text.split_once("\n\n").unwrap();
        assert!(table.contains(&format!("`{name}`")), "{section}.{name}");
    }
}

/// The page with its tables made anew.
fn with_tables(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        let Some(section) = line.strip_prefix(MARKER) else {
            continue;
        };
        let section = section.trim_end_matches(" -->");
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            rows.push(row);
        }
        text += &table(section, &rows);
    }
    text
}

fn table(section: &str, rows: &[&str]) -> String {
    let (order, written) = written_rows(rows);
    let mut names = known_in(section).unwrap_or_else(|| panic!("no section {section}"));
    // Sections with a table of their own.
    names.retain(|name| section != "tools" || known_in(&format!("tools.{name}")).is_none());
    // In the order of the page; new keys come last.
    names.sort_by_key(|name| {
        order
            .iter()
            .position(|it| it == name)
            .unwrap_or(order.len())
    });
    let key = |name: &String| format!("{section}.{name}");
    let in_project = names.iter().any(|name| is_allowed(&key(name)));
    let mut table = match in_project {
        true => "| key | values | default | in a project | meaning |\n|---|---|---|---|---|\n",
        false => "| key | values | default | meaning |\n|---|---|---|---|\n",
    }
    .to_owned();
    for name in &names {
        let row = written.get(name).cloned().unwrap_or_default();
        let values = TakenValues::of(&key(name));
        let is_size = name.ends_with("Bytes") || SIZES.contains(&key(name).as_str());
        let mut cells = vec![
            format!("`{name}`"),
            values_text(&values, is_size).unwrap_or(row.values),
            default_text(&key(name), is_size).unwrap_or(row.default),
        ];
        if in_project {
            cells.push(project_text(&key(name), &values).to_owned());
        }
        cells.push(row.meaning);
        table += &format!("| {} |\n", cells.join(" | "));
    }
    table
}

/// The names in the order of the table, and the kept cells of each row.
fn written_rows(rows: &[&str]) -> (Vec<String>, BTreeMap<String, WrittenRow>) {
    let mut order = Vec::new();
    let mut written = BTreeMap::new();
    for row in rows.iter().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[name, values, default, .., meaning] = cells.as_slice() else {
            panic!("not a row: {row}");
        };
        let name = name.trim_matches('`').to_owned();
        order.push(name.clone());
        let [values, default, meaning] = [values, default, meaning].map(str::to_owned);
        let cells = WrittenRow {
            values,
            default,
            meaning,
        };
        written.insert(name, cells);
    }
    (order, written)
}

/// `None` if the loader only knows that it is a text, a list or a table.
fn values_text(values: &TakenValues, is_size: bool) -> Option<String> {
    let range = |min, max| format!("{} to {}", number(min, is_size), number(max, is_size));
    Some(match values {
        TakenValues::Numbers { min, max } => range(*min, *max),
        TakenValues::Dollars { max } => format!("{} dollars", range(0, *max)),
        TakenValues::Choice(names) => choices(names),
        TakenValues::ListOfChoices(names) => format!("list of {}", choices(names)),
        TakenValues::Boolean => "boolean".to_owned(),
        TakenValues::Other => return None,
    })
}

fn choices(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`\"{name}\"`")).collect();
    quoted.join(", ")
}

/// `None` if there is none, or if it depends on other things.
fn default_text(key: &str, is_size: bool) -> Option<String> {
    // Without a model the defaults are those of `demo`.
    let depends = key.starts_with("model.") && key != "model.type";
    if depends || key == OF_THE_MACHINE {
        return None;
    }
    let known = KEYS.iter().find(|known| known.name == key);
    let default = match known {
        Some(known) => (known.default)(&Config::default()),
        None => default_in_own_table(key),
    };
    match default {
        Value::Number(value) => Some(number(value.as_u64().unwrap(), is_size)),
        Value::Array(values) if !values.is_empty() => None,
        Value::Null => None,
        other => Some(format!("`{other}`")),
    }
}

/// The default of a key in a table with a name of the user's own.
fn default_in_own_table(key: &str) -> Value {
    let config = user(
        "[runners.r]\ntype = 'command'\ncommand = ['true']\n[agents.a]\n[[mcp.servers]]\nname = 's'\ncommand = 'true'\n",
    )
    .unwrap();
    let server = &config.mcp.servers[0];
    let (runner, agent) = (&config.runners["r"], &config.agents["a"].config);
    match key {
        "runners.NAME.sandbox" => json!(format!("{:?}", runner.sandbox).to_lowercase()),
        "runners.NAME.keepSeconds" => json!(runner.keep.as_secs()),
        "runners.NAME.startSeconds" => json!(runner.start.as_secs()),
        "runners.NAME.idleSeconds" => json!(runner.idle.as_secs()),
        "runners.NAME.cancelSeconds" => json!(runner.cancel.as_secs()),
        "runners.NAME.handoverBytes" => json!(runner.handover_bytes),
        "runners.NAME.onContextLost" => {
            json!(format!("{:?}", runner.on_context_lost).to_lowercase())
        }
        "runners.NAME.trustOwn" => json!(runner.trust_own),
        "mcp.servers.share" => json!(server.share.word()),
        "mcp.servers.trustReadOnly" => json!(server.trust_read_only),
        "mcp.servers.timeoutSeconds" => json!(server.timeout.as_secs()),
        "mcp.servers.idleSeconds" => json!(server.idle.map(|it| it.as_secs())),
        "agents.TYPE.runner" => json!(agent.runner),
        "agents.TYPE.workspace" => json!(agent.workspace),
        "agents.TYPE.defaultQuota" => json!(agent.default_quota),
        "agents.TYPE.enabled" => json!(agent.enabled),
        _ => Value::Null,
    }
}

fn project_text(key: &str, values: &TakenValues) -> &'static str {
    match values {
        _ if !is_allowed(key) => "",
        _ if IN_ADDITION.contains(&key) => "adds",
        TakenValues::Numbers { .. } | TakenValues::Dollars { .. } => "lowers",
        TakenValues::Boolean => "`false`",
        _ => "sets",
    }
}

/// `50,000,000`, or of a size `8 MiB`.
fn number(number: u64, is_size: bool) -> String {
    if is_size {
        let units = [
            (1 << 40, "TiB"),
            (1 << 30, "GiB"),
            (1 << 20, "MiB"),
            (1 << 10, "KiB"),
        ];
        let unit = units
            .into_iter()
            .find(|(unit, _)| number > 0 && number.is_multiple_of(*unit));
        if let Some((unit, name)) = unit {
            return format!("{} {name}", grouped(number / unit));
        }
    }
    grouped(number)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
