use scorel_proto::SessionView;
use scorel_screen::{Line, Span, Style};

use super::queue::{first_line, kind_text};
use super::state::{App, Mode};
use crate::card::{CardPlace, DrawnCard, card_lines, tiny_card};
use crate::region::Live;
use crate::size::Size;

/// The most rows of what is unfinished.
const TAIL: usize = 8;

/// The most columns of the rule. It is drawn anew below each line that is finished, at three bytes a column: across 80
/// columns it was a fifth of all bytes of an answer.
const MAX_RULE: usize = 40;

/// Below this there is room for the composer and the status line only.
const MIN_COLUMNS: u16 = 40;
const MIN_ROWS: u16 = 8;

impl App {
    /// The live region for a terminal of this size, and the card that is in it.
    pub(crate) fn live(&mut self, size: Size, view: &SessionView) -> (Live, Option<DrawnCard>) {
        let width = usize::from(size.columns);
        self.width = width;
        self.renderer.resize(width);
        let is_tiny = size.columns < MIN_COLUMNS || size.rows < MIN_ROWS;
        let room = usize::from(size.rows / 2).max(2);
        let (input, caret) =
            self.input_lines(width, (usize::from(size.rows) * 2 / 5).clamp(1, room - 1));
        let status = self.status(width, view);
        let mut below: Vec<Line> = Vec::new();
        if !is_tiny {
            below.push(Line::plain(&"─".repeat(width.min(MAX_RULE)), Style::Dim));
        }
        let caret_row = below.len() + caret.0;
        below.extend(input);
        below.push(status);
        let left = room.saturating_sub(below.len());
        let (mut above, card) = self.above(width, left, is_tiny, view);
        let caret = (!self.card.has_focus()).then_some((above.len() + caret_row, caret.1));
        above.extend(below);
        (
            Live {
                lines: above,
                caret,
            },
            card,
        )
    }

    /// The rows above the composer, at most `left`: the unfinished block, then the card or the strips.
    fn above(
        &self,
        width: usize,
        left: usize,
        is_tiny: bool,
        view: &SessionView,
    ) -> (Vec<Line>, Option<DrawnCard>) {
        let (strips, card) = self.card_or_strips(width, left, is_tiny, view);
        if is_tiny {
            return (strips, card);
        }
        let tail = self
            .renderer
            .tail(TAIL.min(left.saturating_sub(strips.len())));
        let mut lines: Vec<Line> = tail.into_iter().map(|line| line.cut(width)).collect();
        lines.extend(strips);
        (lines, card)
    }

    fn card_or_strips(
        &self,
        width: usize,
        left: usize,
        is_tiny: bool,
        view: &SessionView,
    ) -> (Vec<Line>, Option<DrawnCard>) {
        let own = self.own_questions();
        let Some((at, question)) = self.card.shown(&own) else {
            let strips = if is_tiny {
                Vec::new()
            } else {
                self.strips(width, left, view)
            };
            return (strips, None);
        };
        let id = question.request.request_id;
        let place = CardPlace {
            at,
            of: own.len(),
            work_dir: &self.project_dir(question),
            has_focus: self.card.has_focus(),
            why: self.card.why(),
            hint: self.card_hint,
            is_read: self.card.is_read(id),
        };
        if is_tiny || left < 4 {
            let text = match (self.card.has_focus(), self.card.is_read(id)) {
                (true, true) => Line::plain("y once  n no", Style::Error).cut(width),
                (true, false) => Line::plain("Enter reads the question", Style::Error).cut(width),
                (false, _) => tiny_card(question, width),
            };
            return (
                vec![text],
                Some(DrawnCard {
                    id,
                    is_whole: false,
                }),
            );
        }
        let (lines, is_whole) = card_lines(question, place, width, left);
        (lines, Some(DrawnCard { id, is_whole }))
    }

    fn project_dir(&self, question: &scorel_proto::OpenQuestion) -> String {
        let projects = &self.host.projects;
        let project = projects
            .iter()
            .find(|it| it.project_id == question.project_id);
        project.map(|it| it.work_dir.clone()).unwrap_or_default()
    }

    fn strips(&self, width: usize, left: usize, view: &SessionView) -> Vec<Line> {
        let mut lines = Vec::new();
        lines.extend(self.renderer.todos());
        for send in &self.sends {
            let text = send.text.lines().next().unwrap_or_default();
            lines.push(Line::plain(&format!("┄ sending: {text}"), Style::Dim).cut(width));
        }
        let queue = &view.state.queue;
        if let Some(next) = queue.items.first() {
            let more = match queue.items.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let paused = if queue.paused { "paused, " } else { "" };
            let text = format!(
                "┄ {paused}next {}{more}: {}",
                kind_text(next.kind),
                first_line(next)
            );
            let help = "  ↑ edits";
            let mut line =
                Line::plain(&text, Style::Note).cut(width.saturating_sub(help.chars().count()));
            line.spans.push(Span::new(help, Style::Dim));
            lines.push(line);
        }
        lines.truncate(left);
        lines
    }

    /// The composer, or what has its place, with the caret.
    fn input_lines(&mut self, width: usize, max: usize) -> (Vec<Line>, (usize, usize)) {
        match &self.mode {
            Mode::Picking(picker) => {
                let lines = picker.lines(width, max.max(3));
                (lines, (0, 0))
            }
            Mode::Searching(search) => {
                let found = search.found(&self.history).unwrap_or_default();
                let line = found.lines().next().unwrap_or_default();
                let head = format!("search: {}", search.wanted());
                let caret = scorel_screen::width(&head).min(width.saturating_sub(1));
                let lines = vec![
                    Line::plain(&head, Style::Note).cut(width),
                    Line::plain(line, Style::Text).cut(width),
                ];
                (lines, (0, caret))
            }
            Mode::Composing => {
                let mut lines = self.candidates(width, max.saturating_sub(1));
                let before = lines.len();
                let (rows, (row, column)) =
                    self.composer.rows(width, max.saturating_sub(before).max(1));
                lines.extend(rows);
                (lines, (before + row, column))
            }
        }
    }

    fn candidates(&self, width: usize, max: usize) -> Vec<Line> {
        let Some(completion) = self.completion.as_ref().filter(|it| !it.is_closed) else {
            return Vec::new();
        };
        let max = max.min(super::completion::MAX_SHOWN);
        let first = (completion.at + 1).saturating_sub(max);
        let shown = completion
            .candidates
            .iter()
            .enumerate()
            .skip(first)
            .take(max);
        let line = |(at, candidate): (usize, &super::candidate::Candidate)| {
            let is_chosen = at == completion.at;
            let (mark, style) = if is_chosen {
                ("▸", Style::Chosen)
            } else {
                (" ", Style::Note)
            };
            let mut line = Line::plain(
                &format!("{mark} {}{}  ", completion.sign, candidate.text),
                style,
            );
            line.spans
                .extend(Line::plain(&candidate.about, Style::Dim).spans);
            line.cut(width)
        };
        shown.map(line).collect()
    }

    fn status(&self, width: usize, view: &SessionView) -> Line {
        // Keys that were meant for a question that is gone go nowhere, which has to be seen.
        if self.card.has_focus() && self.question().is_none() {
            return Line::plain("the question is closed … one moment", Style::Chosen).cut(width);
        }
        match &self.hint {
            Some((text, _)) => Line::plain(text, Style::Chosen).cut(width),
            None => Line::plain(&self.status_line(view), Style::Dim).cut(width),
        }
    }
}
