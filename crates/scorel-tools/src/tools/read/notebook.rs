//! Notebooks as cells.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use crate::char_boundary::floor_char_boundary;

/// The output of one cell that is shown, in bytes.
const MAX_OUTPUT: usize = 20_000;

#[derive(Debug, Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Debug, Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default)]
    source: CellText,
    #[serde(default)]
    execution_count: Option<u64>,
    #[serde(default)]
    outputs: Vec<Output>,
}

/// Text, as one string or as its lines.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum CellText {
    Whole(String),
    Lines(Vec<String>),
    /// Data of another form, as pictures and widgets have.
    Other(Value),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "output_type", rename_all = "snake_case")]
enum Output {
    Stream {
        #[serde(default)]
        text: CellText,
    },
    #[serde(alias = "display_data", alias = "update_display_data")]
    ExecuteResult {
        #[serde(default)]
        data: BTreeMap<String, CellText>,
    },
    Error {
        #[serde(default)]
        ename: String,
        #[serde(default)]
        evalue: String,
        #[serde(default)]
        traceback: Vec<String>,
    },
    #[serde(other)]
    Unknown,
}

impl Default for CellText {
    fn default() -> Self {
        Self::Whole(String::new())
    }
}

impl CellText {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Whole(text) => text.into(),
            Self::Lines(lines) => lines.concat().into(),
            Self::Other(value) => value.to_string().into(),
        }
    }
}

/// The cells of a notebook with their outputs; `None` if it is not one.
pub(super) fn cells(content: &str) -> Option<String> {
    let notebook: Notebook = serde_json::from_str(content).ok()?;
    let mut text = String::new();
    for (number, cell) in (1..).zip(&notebook.cells) {
        let executed = cell
            .execution_count
            .map(|count| format!(", executed {count}"));
        let executed = executed.unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[cell {number}: {}{executed}]", cell.cell_type);
        push_lines(&mut text, &cell.source.text());
        if !cell.outputs.is_empty() {
            let _ = writeln!(text, "[output of cell {number}]");
            push_lines(&mut text, &outputs(&cell.outputs));
        }
        text.push('\n');
    }
    Some(text)
}

fn outputs(outputs: &[Output]) -> String {
    let mut text = String::new();
    for output in outputs {
        if text.len() > MAX_OUTPUT {
            break;
        }
        push_lines(&mut text, &shown(output));
    }
    if text.len() > MAX_OUTPUT {
        let end = floor_char_boundary(&text, MAX_OUTPUT);
        text.truncate(end);
        text.push_str("\n[the rest of this output is not shown]");
    }
    text
}

fn shown(output: &Output) -> Cow<'_, str> {
    match output {
        Output::Stream { text } => without_escapes(&text.text()).into(),
        Output::ExecuteResult { data } => match data.get("text/plain") {
            Some(text) if !data.keys().any(|kind| kind.starts_with("image/")) => {
                text.text().into_owned().into()
            }
            _ => pictured(data).into(),
        },
        Output::Error {
            ename,
            evalue,
            traceback,
        } if traceback.is_empty() => format!("{ename}: {evalue}").into(),
        Output::Error { traceback, .. } => without_escapes(&traceback.join("\n")).into(),
        Output::Unknown => "[an output of an unknown kind]".into(),
    }
}

/// Kinds of data, with the text that stands for each.
fn pictured(data: &BTreeMap<String, CellText>) -> String {
    let kinds: Vec<&str> = data
        .keys()
        .map(String::as_str)
        .filter(|kind| *kind != "text/plain")
        .collect();
    let text = data
        .get("text/plain")
        .map(CellText::text)
        .unwrap_or_default();
    format!("[{}, not shown] {text}", kinds.join(", "))
}

fn push_lines(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}

/// The text without the colours of terminals, which tracebacks are full of.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = sequence.find(|char: char| ('@'..='~').contains(&char));
        rest = end.map_or("", |end| &sequence[end + 1..]);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shown_with_their_outputs() {
        let notebook = r##"{"nbformat": 4, "metadata": {}, "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "text"]},
            {"cell_type": "code", "execution_count": 3, "source": "print(1)", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
                {"output_type": "execute_result", "data": {"text/plain": ["42"]}},
                {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[31mE\u001b[0m: v"]},
                {"output_type": "new"}
            ]}
        ]}"##;
        let expected = "[cell 1: markdown]\n# Title\ntext\n\n[cell 2: code, executed 3]\nprint(1)\n\
            [output of cell 2]\n1\n2\n42\n[image/png, not shown] <Figure>\nE: v\n\
            [an output of an unknown kind]\n\n";
        assert_eq!(cells(notebook).unwrap(), expected);
    }

    #[test]
    fn a_long_output_is_cut() {
        let line = "x".repeat(3 * MAX_OUTPUT);
        let notebook = format!(
            r#"{{"cells": [{{"cell_type": "code", "outputs": [{{"output_type": "stream", "text": "{line}"}}]}}]}}"#
        );
        let shown = cells(&notebook).unwrap();
        assert!(
            shown.len() < MAX_OUTPUT + 200 && shown.contains("not shown"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_no_notebook_has_no_cells() {
        for content in ["", "{}", "[1]", r#"{"cells": 1}"#, &"[".repeat(100_000)] {
            assert_eq!(cells(content), None);
        }
    }
}
