use super::clean::{clean, clean_line};
use super::piece::Piece;

/// Writes Markdown. Output of tools is in code blocks, so that it cannot end the document's structure.
pub(super) struct Markdown;

impl Markdown {
    pub(super) fn begin(title: &str, about: &str) -> String {
        format!("# {}\n\n{}\n", escaped(title), escaped(about))
    }

    pub(super) fn piece(piece: &Piece) -> String {
        match piece {
            Piece::Speaker { name, at } => format!("\n## {}\n\n*{at}*\n", escaped(name)),
            Piece::Prose(text) => prose(&clean(text)),
            Piece::Thinking(text) => {
                let text = clean(text);
                let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
                format!("\n{}\n", lines.join("\n"))
            }
            Piece::Call { name, input } => {
                format!("\n**{}**\n\n{}", escaped(name), fenced(input, "json"))
            }
            Piece::Result { text, is_error } => {
                let failed = if *is_error { "\nfailed:\n" } else { "" };
                format!("{failed}\n{}", fenced(text, "text"))
            }
            Piece::Image(address) => format!("\n![image]({address})\n"),
            Piece::Note(text) => format!("\n*{}*\n", escaped(text)),
            Piece::Error(text) => format!("\n**{}**\n", escaped(text)),
        }
    }
}

/// Markdown of a person or the model. A code block that it leaves open ends with it.
fn prose(text: &str) -> String {
    let text = text.trim();
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let fence = fence_of(line);
        open = match (open, fence) {
            (None, fence) => fence,
            // Only a bare fence that is as long ends a block.
            (Some(begun), Some(end)) if end.starts_with(begun) && line.trim() == end => None,
            (open, _) => open,
        };
    }
    match open {
        Some(fence) => format!("\n{text}\n{fence}\n"),
        None => format!("\n{text}\n"),
    }
}

/// The fence that a line begins with.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|char| "`~".contains(*char))?;
    let end = line.find(|char| char != first).unwrap_or(line.len());
    (end >= 3).then(|| &line[..end])
}

/// A code block with a fence that the text does not have.
fn fenced(text: &str, language: &str) -> String {
    let text = clean(text);
    let longest = text.split(|char| char != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A line in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in clean_line(text).chars() {
        if char.is_ascii_punctuation() && !".,:;()'\"/-_".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
