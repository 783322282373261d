/// Pieces that mean something to a parser.
const PIECES: [&str; 40] = [
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "&a ",
    "*a",
    "!!str ",
    "!<x> ",
    "? ",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|\n",
    ">-\n",
    "'",
    "\"",
    "\\u0000",
    "\\x",
    "#",
    "\t",
    "\r",
    "\r\n",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\0",
    "<<: ",
    "__proto__: ",
    "~",
    "null",
    ".inf",
    "0x1f",
    "1e999",
    "null,",
    "\"id\":",
    "currentNodeId: ",
    "\u{202e}",
];

/// Bytes of a text that is changed further.
const MAX: usize = 128 * 1024;

/// Random changes of texts.
#[derive(Debug)]
pub(crate) struct Changes(u64);

impl Changes {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // Xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }

    /// One of these texts, with changes.
    pub(crate) fn of(&mut self, texts: &[&str]) -> String {
        let mut bytes = texts[self.below(texts.len())].as_bytes().to_vec();
        for _ in 0..=self.below(6) {
            self.change(&mut bytes, texts);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn change(&mut self, bytes: &mut Vec<u8>, texts: &[&str]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(40)).min(bytes.len());
        let piece = PIECES[self.below(PIECES.len())].as_bytes();
        match self.below(6) {
            0 => drop(bytes.splice(at..at, piece.iter().copied())),
            1 => drop(bytes.splice(at..end, piece.iter().copied())),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let repeated = bytes[at..end].repeat(1 + self.below(50));
                if bytes.len() + repeated.len() < MAX {
                    bytes.splice(at..at, repeated);
                }
            }
            4 => {
                let other = texts[self.below(texts.len())].as_bytes();
                let from = self.below(other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
        }
    }
}
