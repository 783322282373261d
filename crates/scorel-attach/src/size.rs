//! The size of the terminal.

use terminal_size::{Height, Width, terminal_size_of};

/// The size of a terminal, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns; at least 1.
    pub columns: u16,
    /// Rows; at least 1.
    pub rows: u16,
}

impl Size {
    /// The real size of the terminal on standard output, at this moment; 80×24 if it has none.
    pub fn now() -> Self {
        match terminal_size_of(std::io::stdout()) {
            Some((Width(columns), Height(rows))) if columns > 0 && rows > 0 => {
                Self { columns, rows }
            }
            _ => Self {
                columns: 80,
                rows: 24,
            },
        }
    }
}
