//! `docs/limits.md` says what the sources say.
//!
//! Most of the constants are private to crates that this one must not depend on, so their
//! definitions are read from the sources and evaluated.

use std::path::{Path, PathBuf};

/// The ranges of the configuration's keys.
const SCHEMA: &str = "crates/scorel-config/src/schema.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A row of one of the page's tables.
struct Row<'a> {
    limit: &'a str,
    default: &'a str,
    defined: &'a str,
    configured: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let lines = page.lines().filter(|line| line.starts_with("| "));
    let cells = lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect());
    let rows = cells.filter_map(|cells: Vec<&str>| match cells.as_slice() {
        ["limit", ..] => None,
        [limit, default, defined, configured, _] => Some(Row {
            limit,
            default,
            defined,
            configured,
        }),
        other => panic!("not five cells: {other:?}"),
    });
    rows.collect()
}

/// A quantity in the page or in a source: bytes, milliseconds or a count.
type Quantity = u128;

/// Reads `8 MiB`, `30 s`, `14 days` or `4,096`.
fn quantity(text: &str) -> Quantity {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number: Quantity = number
        .replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("{text}"));
    number
        * match unit {
            "" | "B" | "ms" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            "s" => 1_000,
            "days" => 24 * 60 * 60 * 1_000,
            other => panic!("{text}: unknown unit {other}"),
        }
}

/// The expression that a source gives for a constant, or for a field in a `Default`.
fn definition<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let constant = format!("const {name}: ");
    let field = format!("            {name}: ");
    source.lines().find_map(|line| {
        if let Some((_, rest)) = line.split_once(&constant) {
            let (_, value) = rest.split_once(" = ")?;
            return value.strip_suffix(';');
        }
        line.strip_prefix(&field)?.strip_suffix(',')
    })
}

/// Evaluates sums, products and shifts of literals and of constants in the same source. Durations
/// are milliseconds. Of a value that is smaller under test, the other counts.
fn evaluate(expression: &str, source: &str) -> Quantity {
    let text = expression.trim();
    if let Some((_, rest)) = text.split_once("} else {") {
        return evaluate(rest.trim_end_matches('}'), source);
    }
    for (call, factor) in [
        ("Duration::from_secs(", 1_000),
        ("Duration::from_millis(", 1),
    ] {
        if let Some(inner) = text.strip_prefix(call) {
            return evaluate(inner.strip_suffix(')').unwrap(), source) * factor;
        }
    }
    let text = text.trim_matches(['{', '}', ' ']);
    if let Some((left, right)) = text.split_once(" << ") {
        return evaluate(left, source) << evaluate(right, source);
    }
    if let Some((left, right)) = text.split_once(" * ") {
        return evaluate(left, source) * evaluate(right, source);
    }
    if let Ok(number) = text.replace('_', "").parse() {
        return number;
    }
    let value = definition(source, text).unwrap_or_else(|| panic!("{text} is not defined"));
    evaluate(value, source)
}

/// The file and the name in `` `file` `NAME` ``.
fn place(defined: &str) -> Option<(&str, &str)> {
    let mut parts = defined.split('`').skip(1).step_by(2);
    Some((parts.next()?, parts.next()?))
}

/// The problem with a row, if it has one.
fn problem(row: &Row<'_>) -> Option<String> {
    let Row {
        limit,
        default,
        defined,
        ..
    } = row;
    let Some((file, name)) = place(defined) else {
        let unlimited = (*default, *defined) == ("none", "—");
        return (!unlimited).then(|| format!("{limit}: is defined nowhere"));
    };
    let Ok(source) = std::fs::read_to_string(root().join(file)) else {
        return Some(format!("{limit}: there is no {file}"));
    };
    let Some(value) = definition(&source, name) else {
        return Some(format!("{limit}: {name} is not in {file}"));
    };
    let value = evaluate(value, &source);
    (quantity(default) != value).then(|| format!("{limit}: {name} in {file} is {value}"))
}

#[test]
fn defaults_are_those_of_the_sources() {
    let page = read("docs/limits.md");
    let rows = rows(&page);
    let problems: Vec<String> = rows.iter().filter_map(problem).collect();
    assert!(
        problems.is_empty(),
        "docs/limits.md is out of date:\n{}",
        problems.join("\n")
    );
    assert!(rows.len() > 90, "only {} limits were compared", rows.len());
}

/// `maxFrameIn` as Rust writes it.
fn snake_case(key: &str) -> String {
    let mut name = String::new();
    for char in key.chars() {
        if char.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(char.to_ascii_lowercase());
    }
    name
}

/// The keys with a range, by their section, with both ends as they are in the file.
fn ranges(schema: &str) -> Vec<(String, String, Quantity, Quantity)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in schema.lines() {
        if let Some((_, rest)) = line.split_once("/// `[") {
            section = rest.split_once(']').unwrap().0.to_owned();
        }
        let Some((field, range)) = line.split_once(": Option<Bounded<") else {
            continue;
        };
        let name = field.rsplit(' ').next().unwrap().to_owned();
        let (min, max) = range.trim_end_matches(">>,").split_once(", ").unwrap();
        found.push((
            section.clone(),
            name,
            evaluate(min, schema),
            evaluate(max, schema),
        ));
    }
    found
}

#[test]
fn every_key_of_the_configuration_with_a_range_is_on_the_page() {
    let page = read("docs/limits.md");
    let rows = rows(&page);
    let ranges = ranges(&read(SCHEMA));
    assert!(ranges.len() > 20, "only {} ranges were found", ranges.len());
    let mut documented = 0;
    for row in &rows {
        let Some((key, range)) = row.configured.trim_matches('`').split_once("`: ") else {
            assert_eq!(row.configured, "—", "{}", row.limit);
            continue;
        };
        let (section, key) = key.trim_start_matches('[').split_once("] ").unwrap();
        let (low, high) = range.split_once(" to ").unwrap();
        // In the file, times are in seconds.
        let scale = |text: &str| quantity(text) / if text.ends_with(" s") { 1_000 } else { 1 };
        let expected = (section.to_owned(), snake_case(key), scale(low), scale(high));
        assert!(
            ranges.contains(&expected),
            "{}: {expected:?} is not in {SCHEMA}",
            row.limit
        );
        documented += 1;
    }
    assert_eq!(
        documented,
        ranges.len(),
        "keys with a range that are not on the page"
    );
}
