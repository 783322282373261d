use jiff::tz::TimeZone;

use crate::markup::Markup;
use crate::wrap::PROSE;

/// The narrowest screen that is drawn for.
const MIN_WIDTH: usize = 10;

/// The shape in which a session is shown.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The columns of the terminal.
    pub width: usize,
    /// The form of Markdown.
    pub markup: Markup,
    /// Set to show the messages of users.
    pub users: bool,
    /// The most lines of a tool's ordinary result.
    pub result_lines: usize,
    /// Unset where no style can be shown: the signs of Markdown stay then.
    pub styled: bool,
    /// Set to say in a line of its own that a tool has begun. Off where [`tail`](crate::Renderer::tail) shows that.
    pub announces: bool,
    /// The zone of the times of day.
    pub zone: TimeZone,
}

impl Layout {
    /// For a terminal with a live region.
    pub const fn new(width: usize, zone: TimeZone) -> Self {
        Self {
            width,
            markup: Markup::Rendered,
            users: true,
            result_lines: 0,
            styled: true,
            announces: false,
            zone,
        }
    }

    /// The columns of a row.
    pub(crate) fn row(&self) -> usize {
        self.width.max(MIN_WIDTH)
    }

    /// The columns of prose.
    pub(crate) fn prose(&self) -> usize {
        self.row().min(PROSE)
    }
}
