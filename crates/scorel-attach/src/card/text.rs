use std::fmt::Write as _;

use scorel_proto::OpenQuestion;
use scorel_screen::escape::{exact, exact_line};
use scorel_screen::{Line, Span, Style, wrap};

/// The words of a question besides its input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CardPlace<'a> {
    /// Its place among the questions, from 0, and their number.
    pub(crate) at: usize,
    pub(crate) of: usize,
    /// The directory of its project.
    pub(crate) work_dir: &'a str,
    pub(crate) has_focus: bool,
    pub(crate) why: Option<&'a str>,
    /// The reason for which the last key did not count.
    pub(crate) hint: Option<&'a str>,
    /// The input was read in the pager.
    pub(crate) is_read: bool,
}

/// The card in at most `max` rows, and whether all of its input is in them.
pub(crate) fn card_lines(
    question: &OpenQuestion,
    place: CardPlace<'_>,
    width: usize,
    max: usize,
) -> (Vec<Line>, bool) {
    let mut head = vec![rule(&title(question, place), width)];
    let mut foot = wrapped(&about(question, place), Style::Note, width);
    foot.extend(wrapped(&controls(question, place), Style::Chosen, width));
    let mut input = wrapped(&input_text(question), Style::Text, width);
    let room = max.saturating_sub(head.len() + foot.len());
    let is_whole = input.len() <= room;
    if !is_whole {
        let hidden = input.len() - room.saturating_sub(1).min(input.len());
        input.truncate(room.saturating_sub(1));
        let said = match place.is_read {
            true => format!("… {hidden} more rows, which the pager has shown"),
            false => {
                format!("… {hidden} more rows: Enter here shows all in the pager, then y works")
            }
        };
        input.push(Line::plain(&said, Style::Error).cut(width));
    }
    head.extend(input);
    head.extend(foot);
    head.truncate(max);
    (head, is_whole)
}

/// The rows of a question where the terminal is too small for a card.
pub(crate) fn tiny_card(question: &OpenQuestion, width: usize) -> Line {
    let tool = exact_line(&question.request.tool_name);
    Line::plain(
        &format!("{tool} asks: Ctrl+Y, Enter reads it"),
        Style::Error,
    )
    .cut(width)
}

fn title(question: &OpenQuestion, place: CardPlace<'_>) -> String {
    let tool = exact_line(&question.request.tool_name);
    let asker = question
        .agent_type
        .as_ref()
        .map(|agent| format!("{} (agent): ", exact_line(agent)));
    let count = match place.of {
        1 => String::new(),
        of => format!(" ({} of {of})", place.at + 1),
    };
    let reason = spaced(&question.request.reason);
    format!("{}{tool} asks{count}: {reason}", asker.unwrap_or_default())
}

/// With single spaces only: no row of it can look like a row of the input.
fn spaced(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    exact_line(&words.join(" "))
}

fn about(question: &OpenQuestion, place: CardPlace<'_>) -> String {
    let request = &question.request;
    let mut text = format!("in {}", exact_line(place.work_dir));
    if !request.changed_by.is_empty() {
        let hooks = request.changed_by.join(", ");
        // Writing to a string cannot fail.
        let _ = write!(text, " · changed by {}", exact_line(&hooks));
    }
    if !request.rules.is_empty() {
        let rules: Vec<String> = request.rules.iter().map(|rule| exact_line(rule)).collect();
        let keys = if request.session_only {
            "s adds"
        } else {
            "s, a add"
        };
        let _ = write!(text, " · {keys}: {}", rules.join(", "));
    }
    text
}

fn controls(question: &OpenQuestion, place: CardPlace<'_>) -> String {
    if let Some(why) = place.why {
        return format!(
            "No, because (Enter refuses, Esc goes back): {}▏",
            exact_line(why)
        );
    }
    let request = &question.request;
    let mut keys = vec!["y once"];
    if !request.rules.is_empty() {
        keys.push("s session");
        if !request.session_only {
            keys.push("a always here");
        }
    }
    keys.push("n no, and why");
    let keys = keys.join("  ");
    match (place.has_focus, place.hint) {
        (true, Some(hint)) => format!("{keys}   ({hint})"),
        (true, None) => format!("{keys}   Esc back"),
        (false, _) => format!("Ctrl+Y, then  {keys}"),
    }
}

/// The input exactly, for people: each argument on lines of its own.
pub(crate) fn input_text(question: &OpenQuestion) -> String {
    let input = &question.request.input;
    let Some(fields) = input.as_object() else {
        return exact_line(&input.to_string());
    };
    let value = |value: &serde_json::Value| match value.as_str() {
        Some(text) => exact(text).into_owned(),
        None => exact_line(&value.to_string()),
    };
    if let [(_, single)] = fields.iter().collect::<Vec<_>>()[..] {
        return value(single);
    }
    let lines = fields.iter().map(|(name, field)| {
        let text = value(field);
        let gap = if text.contains('\n') { '\n' } else { ' ' };
        format!("{}:{gap}{text}", exact_line(name))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn wrapped(text: &str, style: Style, width: usize) -> Vec<Line> {
    // Tabs have no width of their own in a row.
    wrap(
        &[Span::new(text.replace('\t', "    "), style)],
        width.max(1),
    )
}

fn rule(title: &str, width: usize) -> Line {
    let title = format!("─ {title} ");
    let missing = width.saturating_sub(scorel_screen::width(&title));
    Line::plain(&format!("{title}{}", "─".repeat(missing)), Style::Error).cut(width)
}
