use super::*;

/// A decoder with a clock.
struct Typed {
    decoder: Decoder,
    now: Instant,
}

impl Typed {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            decoder: Decoder::new(now),
            now,
        }
    }

    fn feed(&mut self, bytes: impl AsRef<[u8]>) -> Vec<Input> {
        self.decoder.feed(bytes.as_ref(), self.now);
        self.taken()
    }

    /// Lets time pass without bytes, as the thread that reads does it.
    fn wait(&mut self, millis: u64) -> Vec<Input> {
        let end = self.now + Duration::from_millis(millis);
        while let Some(deadline) = self.decoder.deadline().filter(|&at| at <= end) {
            self.now = deadline;
            self.decoder.tick(deadline);
        }
        self.now = end;
        self.taken()
    }

    fn all(&mut self, bytes: impl AsRef<[u8]>) -> Vec<Input> {
        let mut all = self.feed(bytes);
        all.extend(self.wait(2000));
        all
    }

    fn taken(&mut self) -> Vec<Input> {
        std::iter::from_fn(|| self.decoder.next()).collect()
    }
}

fn keys(keys: &[Key]) -> Vec<Input> {
    keys.iter().copied().map(Input::Key).collect()
}

fn paste(text: &str) -> Input {
    Input::Paste(text.to_owned())
}

#[test]
fn keys_are_what_terminals_send() {
    let table: &[(&[u8], Key)] = &[
        (b"a", Key::Char('a')),
        ("漢".as_bytes(), Key::Char('漢')),
        (b"\r", Key::Enter),
        (b"\n", Key::Newline),
        (b"\t", Key::Tab),
        (b"\x1b", Key::Esc),
        (b"\x1b[27u", Key::Esc),
        (b"\x7f", Key::Backspace),
        (b"\x1b\x7f", Key::DeleteWordLeft),
        (b"\x03", Key::Ctrl('c')),
        (b"\x1b[99;5u", Key::Ctrl('c')),
        (b"\x1b[27;5;99~", Key::Ctrl('c')),
        (b"\x1b[13;2u", Key::Newline),
        (b"\x1b[13;3u", Key::Newline),
        (b"\x1b[106;5u", Key::Newline),
        (b"\x1b\r", Key::Newline),
        (b"\x1b[Z", Key::BackTab),
        (b"\x1b[A", Key::Up),
        (b"\x1bOA", Key::Up),
        (b"\x1b[1;5D", Key::WordLeft),
        (b"\x1b[1;3C", Key::WordRight),
        (b"\x1bb", Key::WordLeft),
        (b"\x1b[H", Key::Home),
        (b"\x1b[4~", Key::End),
        (b"\x1b[3~", Key::Delete),
        (b"\x1b[6~", Key::PageDown),
        (b"\x1bx", Key::Alt('x')),
        (b"\x1b]", Key::Alt(']')),
        (b"\x1bO", Key::Alt('O')),
        (b"\x1f", Key::Ctrl('_')),
    ];
    for (bytes, key) in table {
        assert_eq!(
            Typed::new().all(bytes),
            keys(&[*key]),
            "{}",
            bytes.escape_ascii()
        );
        let mut slow = Typed::new();
        let mut pieces: Vec<Input> = bytes.iter().flat_map(|byte| slow.feed([*byte])).collect();
        pieces.extend(slow.wait(2000));
        assert_eq!(pieces, keys(&[*key]), "{} in pieces", bytes.escape_ascii());
    }
}

#[test]
fn replies_are_not_typed() {
    for reply in [
        "\x1b[0n",
        "\x1b[12;40R",
        "\x1b[?1;2c",
        "\x1b[>41;354;0c",
        "\x1b[?2026;2$y",
        "\x1b[?1u",
        "\x1b[8;24;80t",
        "\x1b]52;c;cm0gLXJmIC8K\x07",
        "\x1b]52;c;cm0gLXJmIC8K\x1b\\",
        "\x1b]11;rgb:0000/0000/0000\x1b\\",
        "\x1bP>|tmux 3.3a\x1b\\",
        "\x1bP1+r524742=38\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b]0;rm -rf /\r\x07",
        "\x1b[<0;1;1M",
    ] {
        assert_eq!(Typed::new().all(reply), [], "{reply:?}");
        let mut slow = Typed::new();
        for byte in reply.bytes() {
            assert_eq!(slow.feed([byte]), [], "{reply:?}");
            assert_eq!(slow.wait(20), [], "{reply:?}");
        }
        assert_eq!(slow.wait(2000), [], "{reply:?}");
        assert_eq!(slow.feed("x"), keys(&[Key::Char('x')]), "{reply:?}");
    }
}

#[test]
fn an_answer_is_counted_once() {
    let mut typed = Typed::new();
    typed.feed("a\x1b[0nb\x1b[0");
    assert!(typed.decoder.take_answer());
    assert!(!typed.decoder.take_answer());
    typed.feed("n");
    assert!(typed.decoder.take_answer());
}

#[test]
fn a_reply_without_end_does_not_swallow_the_keys() {
    let mut typed = Typed::new();
    assert_eq!(typed.feed("\x1b]52;c;AAAA"), []);
    assert_eq!(typed.feed("\x03"), keys(&[Key::Ctrl('c')]));
    assert_eq!(typed.feed("\x1b]52;c;AAAA"), []);
    assert_eq!(typed.wait(600), []);
    assert_eq!(typed.feed("x"), keys(&[Key::Char('x')]));
}

#[test]
fn an_answer_within_a_paste_is_no_text() {
    let mut typed = Typed::new();
    assert_eq!(typed.feed("\x1b[200~on\x1b[0"), []);
    assert_eq!(typed.feed("ne\x1b[\x1b[0n20\x1b[0n1~"), [paste("one")]);
    assert!(typed.decoder.take_answer());
}

#[test]
fn a_bracketed_paste_is_text() {
    let mut typed = Typed::new();
    let got = typed.all("\x1b[200~one\r\ntwo\rthree\x03\x1b[A\x1b[201~");
    assert_eq!(got, [paste("one\ntwo\nthree\x03\x1b[A")]);
}

#[test]
fn a_paste_that_contains_its_end_sends_nothing() {
    let pasted = "one\r\x1b[201~\rtwo\x1b[201~\r\x1b[201~";
    let whole = format!("\x1b[200~{pasted}");
    for piece in 1..whole.len() {
        let mut typed = Typed::new();
        let mut got = Vec::new();
        for bytes in whole.as_bytes().chunks(piece) {
            got.extend(typed.feed(bytes));
            got.extend(typed.wait(3));
        }
        got.extend(typed.wait(2000));
        assert!(!got.contains(&Input::Key(Key::Enter)), "{piece}: {got:?}");
        assert!(!got.contains(&Input::Key(Key::Tab)), "{piece}");
    }
}

#[test]
fn a_paste_without_end_ends_in_silence_or_by_ctrl_c() {
    let mut typed = Typed::new();
    assert_eq!(typed.feed("\x1b[200~one"), []);
    assert_eq!(typed.wait(900), []);
    assert_eq!(typed.feed("\rtwo"), []);
    assert_eq!(typed.wait(1100), [paste("one\ntwo")]);
    assert_eq!(typed.feed("x"), keys(&[Key::Char('x')]));

    for key in ["\x03", "\x1b[99;5u"] {
        let mut typed = Typed::new();
        assert_eq!(typed.feed("\x1b[200~one"), []);
        assert_eq!(typed.wait(100), []);
        assert_eq!(typed.feed(key), [paste("one"), Input::Key(Key::Ctrl('c'))]);
    }
}

#[test]
fn a_paste_has_a_largest_size() {
    let mut typed = Typed::new();
    typed.feed("\x1b[200~");
    let mut got = Vec::new();
    for _ in 0..(MAX_PASTE / 4096 + 10) {
        got.extend(typed.feed([b'x'; 4096]));
    }
    assert_eq!(got.len(), 1);
    let rest = typed.wait(2000);
    assert_eq!(rest.len(), 1);
}

#[test]
fn a_line_break_beside_text_is_text() {
    assert_eq!(Typed::new().all("ls\r"), [paste("ls\n")]);
    assert_eq!(Typed::new().all("\rls"), [paste("\nls")]);
    assert_eq!(Typed::new().all("a\tb"), [paste("a\tb")]);
    let mut typed = Typed::new();
    assert_eq!(typed.feed("l"), keys(&[Key::Char('l')]));
    assert_eq!(typed.wait(5), []);
    assert_eq!(typed.feed("\r"), []);
    assert_eq!(typed.wait(50), keys(&[Key::Newline]));
    assert_eq!(typed.feed("\r"), []);
    assert_eq!(typed.wait(5), []);
    assert_eq!(typed.feed("x"), []);
    assert_eq!(typed.wait(50), [paste("\nx")]);
    assert_eq!(typed.feed("\r"), []);
    assert_eq!(typed.wait(50), keys(&[Key::Enter]));
}

#[test]
fn a_megabyte_without_brackets_sends_nothing_however_it_is_cut() {
    let line = "a line of text that someone has copied\twith a tab\r";
    let text = line.repeat((1 << 20) / line.len());
    for (piece, pause) in [
        (4096, 0),
        (1024, 8),
        (1023, 40),
        (50, 0),
        (51, 3),
        (4095, 90),
    ] {
        let mut typed = Typed::new();
        let mut pasted = String::new();
        for bytes in text.as_bytes().chunks(piece) {
            for input in typed.feed(bytes).into_iter().chain(typed.wait(pause)) {
                match input {
                    Input::Paste(text) => pasted.push_str(&text),
                    Input::Key(Key::Newline) => pasted.push('\n'),
                    Input::Key(Key::Char(char)) => pasted.push(char),
                    other => panic!("{piece} {pause}: {other:?}"),
                }
            }
        }
        for input in typed.wait(2000) {
            if let Input::Paste(text) = input {
                pasted.push_str(&text);
            }
        }
        assert_eq!(pasted.len(), text.len(), "{piece} {pause}");
        assert!(pasted == text.replace('\r', "\n"), "{piece} {pause}");
    }
}

/// A reader that was kept waiting finds the line break late, and does not know that it came at once.
#[test]
fn a_late_reader_sends_nothing() {
    let mut typed = Typed::new();
    typed.feed("l");
    typed.now += Duration::from_secs(1);
    assert_eq!(typed.feed("\r"), []);
    assert_eq!(typed.wait(50), keys(&[Key::Newline]));
}

#[test]
fn ctrl_c_and_ctrl_d_come_through_a_flood() {
    let mut typed = Typed::new();
    for _ in 0..100 {
        typed.feed(b"flood\rflood ".repeat(300));
    }
    let got = typed.feed("\x03\x04");
    assert_eq!(
        got[got.len() - 2..],
        keys(&[Key::Ctrl('c'), Key::Ctrl('d')])
    );
}

#[test]
fn focus_and_keys_after_replies_are_told() {
    let mut typed = Typed::new();
    assert_eq!(
        typed.feed("\x1b[I\x1b[O"),
        [Input::Focus(true), Input::Focus(false)]
    );
    assert_eq!(typed.feed("\x1b[0n\r"), []);
    assert_eq!(typed.wait(50), keys(&[Key::Enter]));
}

#[test]
fn what_is_discarded_is_not_typed() {
    let mut typed = Typed::new();
    typed.feed("some text\ry\x1b[200~pasted");
    typed.decoder.discard_typed();
    assert_eq!(typed.feed("\x1b[201~"), []);
    assert_eq!(typed.wait(2000), []);
}

#[test]
fn bytes_of_any_kind_are_decoded() {
    let mut typed = Typed::new();
    let mut seed = 1u32;
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bytes = seed.to_be_bytes();
        typed.feed(&bytes[..usize::from(bytes[3] % 4)]);
        if bytes[2] < 8 {
            typed.wait(u64::from(bytes[1]) * 8);
        }
    }
    typed.wait(5000);
    assert_eq!(typed.feed("x"), keys(&[Key::Char('x')]));
}
