use std::num::NonZero;

use super::*;
use scorel_screen::Style;

const THEME: Theme = Theme::PLAIN;

/// A terminal that shows the region.
struct Shown {
    region: Region,
    parser: vt100::Parser,
    size: Size,
}

impl Shown {
    fn new(columns: u16, rows: u16) -> Self {
        let size = Size { columns, rows };
        Self {
            region: Region::new(size, THEME),
            parser: vt100::Parser::new(cells(rows), cells(columns), 1000),
            size,
        }
    }

    fn update(
        &mut self,
        finished: &[&str],
        live: &[&str],
        caret: Option<(usize, usize)>,
    ) -> Vec<u8> {
        self.update_at(finished, live, caret, false)
    }

    fn update_at(
        &mut self,
        finished: &[&str],
        live: &[&str],
        caret: Option<(usize, usize)>,
        calm: bool,
    ) -> Vec<u8> {
        let live = Live {
            lines: lines(live),
            caret,
        };
        let bytes = self.region.update(self.size, &lines(finished), live, calm);
        self.parser.process(&bytes);
        bytes
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.size = Size { columns, rows };
    }

    /// The rows of the screen, without blanks at their ends.
    fn screen(&self) -> String {
        let rows = self.parser.screen().rows(0, self.size.columns);
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// The rows of the scrollback and of the screen.
    fn all(&mut self) -> Vec<String> {
        let columns = self.size.columns;
        self.parser.screen_mut().set_scrollback(usize::MAX);
        let back = self.parser.screen().scrollback();
        let mut all = Vec::new();
        for offset in (1..=back).rev() {
            self.parser.screen_mut().set_scrollback(offset);
            all.extend(self.parser.screen().rows(0, columns).next());
        }
        self.parser.screen_mut().set_scrollback(0);
        all.extend(self.parser.screen().rows(0, columns));
        all
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn lines(texts: &[&str]) -> Vec<Line> {
    texts
        .iter()
        .map(|text| Line::plain(text, Style::Text))
        .collect()
}

#[test]
fn finished_lines_are_above_the_region() {
    let mut shown = Shown::new(20, 8);
    shown.update(&[], &["tail", "> ", "idle"], Some((1, 2)));
    shown.update(&["one", "two"], &["> ", "idle"], Some((0, 2)));
    assert_eq!(shown.screen(), "one\ntwo\n>\nidle");
}

#[test]
fn the_first_update_is_these_bytes() {
    let mut shown = Shown::new(20, 8);
    let bytes = shown.update(&["one"], &["> ", "idle"], Some((0, 2)));
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "\x1b[?2026h\x1b[?25l\r\x1b[J\x1b[?7hone\r\n\x1b[?7l> \x1b[7m \x1b[0m\n\ridle\x1b[1A\r\x1b[?2026l"
    );
}

#[test]
fn nothing_is_written_if_nothing_changed() {
    let mut shown = Shown::new(20, 8);
    shown.update(&["one"], &["> ", "idle"], Some((0, 2)));
    assert!(shown.update(&[], &["> ", "idle"], Some((0, 2))).is_empty());
}

#[test]
fn of_a_row_that_grows_only_the_end_is_written() {
    let mut shown = Shown::new(40, 8);
    shown.update(&[], &["the quick brown", "> ", "idle"], Some((1, 2)));
    let bytes = shown.update(&[], &["the quick brown fox", "> ", "idle"], Some((1, 2)));
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "\x1b[?2026h\x1b[15Gn fox\r\x1b[?2026l"
    );
    assert_eq!(shown.screen(), "the quick brown fox\n>\nidle");
}

#[test]
fn rows_that_move_up_are_not_written_again() {
    let mut shown = Shown::new(40, 20);
    let rows = ["row a", "row b", "row c", "row d", "────", "> ", "idle"];
    shown.update(&[], &rows, Some((5, 2)));
    let rows = ["row b", "row c", "row d", "row e", "────", "> ", "idle"];
    let bytes = shown.update(&[], &rows, Some((5, 2)));
    assert_eq!(shown.screen(), rows.join("\n").replace("> ", ">"));
    assert!(bytes.len() < 60, "{:?}", String::from_utf8_lossy(&bytes));
}

#[test]
fn no_sequence_scrolls_regions_or_touches_the_scrollback() {
    let mut shown = Shown::new(40, 20);
    let mut all = Vec::new();
    for at in 0..60 {
        let tail = format!("tail {at}");
        let live = [tail.as_str(), "> ", "idle"];
        all.extend(shown.update(
            if at % 3 == 0 { &["done"] } else { &[] },
            &live[at % 2..],
            Some((1, 2)),
        ));
    }
    all.extend(shown.region.close());
    let all = String::from_utf8(all).unwrap();
    for forbidden in ["r", "S", "T", "2J", "3J", "H", "B"] {
        let mut sequences = all.split("\x1b[").skip(1);
        let found = sequences.find(|it| {
            it.trim_start_matches(|c: char| c.is_ascii_digit() || c == '?')
                .starts_with(forbidden)
                || it.starts_with(forbidden)
        });
        assert_eq!(found, None, "{forbidden}");
    }
    assert!(!all.contains("\x1b[?1049"));
}

#[test]
fn the_real_cursor_is_at_the_caret_when_all_is_calm() {
    let mut shown = Shown::new(40, 10);
    shown.update(&["one"], &["────", "> hi", "idle"], Some((1, 4)));
    assert!(shown.parser.screen().hide_cursor());
    assert_eq!(shown.parser.screen().cursor_position(), (1, 0));
    shown.update_at(&[], &["────", "> hi", "idle"], Some((1, 4)), true);
    assert!(!shown.parser.screen().hide_cursor());
    assert_eq!(shown.parser.screen().cursor_position(), (2, 4));
    assert!(!shown.parser.screen().cell(2, 4).unwrap().inverse());
    shown.update_at(&[], &["────", "> hi!", "idle"], Some((1, 5)), true);
    assert_eq!(shown.parser.screen().cursor_position(), (2, 5));
    shown.update(&["two"], &["────", "> hi!", "idle"], Some((1, 5)));
    assert_eq!(shown.screen(), "one\ntwo\n────\n> hi!\nidle");
    assert!(shown.parser.screen().cell(3, 5).unwrap().inverse());
}

#[test]
fn the_region_takes_half_of_the_rows_and_keeps_its_end() {
    let mut shown = Shown::new(40, 10);
    let rows: Vec<String> = (0..9).map(|at| format!("row {at}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    shown.update(&[], &rows, Some((8, 2)));
    assert_eq!(shown.screen(), "row 4\nrow 5\nrow 6\nrow 7\nrow 8");
    shown.update(&[], &rows, Some((1, 2)));
    assert_eq!(shown.parser.screen().cursor_position(), (0, 0));
}

#[test]
fn closing_leaves_the_finished_lines_alone() {
    let mut shown = Shown::new(40, 10);
    shown.update_at(&["one"], &["────", "> hi", "idle"], Some((1, 4)), true);
    let bytes = shown.region.close();
    shown.parser.process(&bytes);
    assert_eq!(shown.screen(), "one");
    assert_eq!(shown.parser.screen().cursor_position(), (1, 0));
    assert!(!shown.parser.screen().hide_cursor());
}

/// A terminal that drops the rows below the cursor as it becomes lower, before the program knows.
#[test]
fn rows_that_are_gone_below_the_cursor_cost_no_finished_line() {
    let mut shown = Shown::new(40, 10);
    let done: Vec<String> = (0..9).map(|at| format!("done {at}")).collect();
    let done: Vec<&str> = done.iter().map(String::as_str).collect();
    shown.update(&done, &["tail", "────", "> ", "idle"], Some((2, 2)));
    assert_eq!(shown.parser.screen().cursor_position(), (6, 0));
    // vt100 cuts at the bottom, which is what other terminals do with rows below the cursor.
    shown.parser.screen_mut().set_size(cells(7), cells(40));
    for at in 0..3 {
        let tail = format!("tail {at}");
        shown.update(&[], &[&tail, "────", "> ", "idle"], Some((2, 2)));
    }
    shown.resize(40, 7);
    shown.update(&["last"], &["> ", "idle"], Some((0, 2)));
    let all: Vec<String> = shown
        .all()
        .into_iter()
        .filter(|row| row.contains("done") || row == "last")
        .collect();
    let mut expected = done;
    expected.push("last");
    assert_eq!(all, expected);
}

#[test]
fn random_updates_show_what_was_asked_for() {
    let mut seed = 7u32;
    let mut random = move |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % below
    };
    let words = [
        "alpha",
        "be",
        "漢字 wide",
        "",
        "gamma delta epsilon",
        "é́x",
        "❯ sign",
        "zzzzzzzzzzzzzzzzzzzzzzzz",
    ];
    let mut shown = Shown::new(30, 24);
    let mut printed: Vec<String> = Vec::new();
    for step in 0..2000 {
        let live: Vec<String> = (0..=random(9))
            .map(|_| format!("{}{}", words[random(8) as usize], random(3)))
            .collect();
        let live: Vec<&str> = live.iter().map(String::as_str).collect();
        let caret = (random(3) > 0).then(|| (random(9) as usize, random(30) as usize));
        let finished: Vec<String> = (0..random(12).saturating_sub(8))
            .map(|at| format!("line {step}.{at}"))
            .collect();
        let finished_lines: Vec<&str> = finished.iter().map(String::as_str).collect();
        shown.update_at(&finished_lines, &live, caret, random(2) == 0);
        printed.extend(finished);
        let all = shown.all();
        let end = all
            .iter()
            .rposition(|row| !row.is_empty())
            .map_or(0, |at| at + 1);
        let region = &all[end - live.len()..end];
        assert_eq!(
            region.iter().map(|row| row.trim_end()).collect::<Vec<_>>(),
            live,
            "step {step}"
        );
        let tail = &all[end - live.len() - printed.len().min(20)..end - live.len()];
        assert_eq!(tail, &printed[printed.len() - tail.len()..], "step {step}");
    }
}
