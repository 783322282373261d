//! The keys, from which `/help` and the guide are made.

/// A key, or several that do the same, and the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHelp {
    /// The keys, as written on a keyboard.
    pub keys: &'static str,
    /// The effect, as the end of a sentence that begins with the key.
    pub does: &'static str,
}

const fn key(keys: &'static str, does: &'static str) -> KeyHelp {
    KeyHelp { keys, does }
}

/// All keys.
pub const KEYS: &[KeyHelp] = &[
    key(
        "Enter",
        "sends the text; while a turn runs, as `[attach] whileRunning` says (a follow-up)",
    ),
    key(
        "Tab",
        "sends it the other way: a steer in place of a follow-up",
    ),
    key(
        "Shift+Enter, Alt+Enter, Ctrl+J, `\\` Enter",
        "begins a new line (the last two in every terminal)",
    ),
    key(
        "Esc",
        "closes what is open; twice: cancels the running turn, or else goes to rewind",
    ),
    key(
        "Ctrl+C",
        "clears the text (Up brings it back); without text: cancels the turn; again: detaches",
    ),
    key("Ctrl+D", "detaches, without text; the turn goes on"),
    key("Ctrl+Z", "suspends the program, until `fg`"),
    key("Ctrl+L", "draws the screen again"),
    key(
        "Up, Down",
        "move between rows; then to the queue, else to what was sent before",
    ),
    key("Ctrl+R", "searches what was sent before; again: older"),
    key(
        "Ctrl+X",
        "goes to a question, session or child runtime, by number; again: of all projects",
    ),
    key("Ctrl+O", "shows the transcript in `$PAGER`"),
    key("Ctrl+G", "edits the text in `$EDITOR`"),
    key(
        "Ctrl+Y",
        "goes to the card; without one: inserts what was cut",
    ),
    key("/", "lists the commands, as the first character"),
    key("@", "lists files, as the first character of a word"),
    key("Left, Right, Ctrl+B, Ctrl+F", "move by a character"),
    key("Ctrl+Left, Ctrl+Right, Alt+B, Alt+F", "move by a word"),
    key(
        "Home, End, Ctrl+A, Ctrl+E",
        "move to the beginning or the end of the line",
    ),
    key(
        "Ctrl+W, Alt+Backspace; Alt+D",
        "cut the word before or after the cursor",
    ),
    key(
        "Ctrl+U, Ctrl+K",
        "cut to the beginning or to the end of the line",
    ),
];
