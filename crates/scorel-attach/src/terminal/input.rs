/// Input of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// Text that was not typed key by key. Its line breaks are line feeds.
    Paste(String),
    /// The terminal has got the focus, or lost it.
    Focus(bool),
    /// The terminal may have another size; ask [`Size::now`](crate::size::Size::now).
    Resize,
    /// The process goes on after it was stopped: set the modes again and redraw.
    Resumed,
    /// The process was asked to end.
    Ended(Ending),
    /// The terminal is gone; nothing more will come.
    Closed,
}

/// The signal that asks to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `SIGTERM`.
    Terminate,
    /// `SIGHUP`: the window was closed, or the connection is lost.
    HangUp,
    /// `SIGINT` that was sent, as opposed to a pressed Ctrl+C.
    Interrupt,
}

/// A key with its modifiers, named after what it does to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character that is typed.
    Char(char),
    /// Enter.
    Enter,
    /// Shift+Enter, Alt+Enter or Ctrl+J; also Enter so soon after text that it must be part of a paste.
    Newline,
    /// Tab.
    Tab,
    /// Shift+Tab.
    BackTab,
    /// Escape.
    Esc,
    /// Backspace, or Ctrl+H.
    Backspace,
    /// Delete.
    Delete,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Ctrl+Left or Alt+Left.
    WordLeft,
    /// Ctrl+Right or Alt+Right.
    WordRight,
    /// Alt+Backspace or Ctrl+Backspace.
    DeleteWordLeft,
    /// Ctrl+Delete or Alt+Delete.
    DeleteWordRight,
    /// A letter, in lower case, or another ASCII character with Ctrl.
    Ctrl(char),
    /// A character with Alt.
    Alt(char),
}
