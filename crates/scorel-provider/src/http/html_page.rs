//! Reduces the HTML pages that gateways and proxies answer errors with.

/// The longest text that is kept of a page, in characters.
const LONGEST: usize = 300;

/// The title and the first sentence of an HTML page; `None` if the text is none.
pub(super) fn reduced(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let start = lower.trim_start_matches(|char: char| char.is_whitespace() || char == '\u{feff}');
    let is_page = ["<!doctype html", "<html", "<head", "<?xml"]
        .iter()
        .any(|opening| start.starts_with(opening));
    if !is_page {
        return None;
    }
    let title = element(text, &lower, "title")
        .map(visible)
        .unwrap_or_default();
    let body = element(text, &lower, "body").unwrap_or(text);
    let sentence = first_sentence(&visible(body), &title);
    let both = match (title.is_empty(), sentence.is_empty()) {
        (true, true) => "an HTML page without text".to_owned(),
        (false, true) => title,
        (true, false) => sentence,
        (false, false) => format!("{title}: {sentence}"),
    };
    Some(both.chars().take(LONGEST).collect())
}

/// The content of the first element with this name. `lower` is the text in lower case, with the same
/// byte offsets.
fn element<'a>(text: &'a str, lower: &str, name: &str) -> Option<&'a str> {
    let opening = lower.find(&format!("<{name}"))?;
    let start = opening + lower[opening..].find('>')? + 1;
    let end = lower[start..].find(&format!("</{name}"));
    Some(&text[start..end.map_or(text.len(), |end| start + end)])
}

/// The text between the tags, on one line. Scripts, styles and headers have none; other tags end a
/// line, so that a heading without a full stop is not one sentence with the paragraph after it.
fn visible(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let mut text = String::new();
    let mut at = 0;
    while let Some(opening) = html[at..].find('<') {
        let tag = at + opening;
        text.push_str(&html[at..tag]);
        let silent = ["head", "script", "style", "title", "!--"]
            .into_iter()
            .find(|name| lower[tag + 1..].starts_with(name));
        let end = match silent {
            Some("!--") => lower[tag..].find("-->").map(|end| end + 3),
            Some(name) => {
                let closing = lower[tag..].find(&format!("</{name}"));
                closing.and_then(|closing| Some(closing + lower[tag + closing..].find('>')? + 1))
            }
            None => lower[tag..].find('>').map(|end| end + 1),
        };
        let inline = ["b>", "i>", "a ", "a>", "em>", "strong>", "span", "code"]
            .iter()
            .any(|name| lower[tag + 1..].trim_start_matches('/').starts_with(name));
        text.push(if inline { ' ' } else { '\n' });
        at = end.map_or(html.len(), |end| tag + end);
    }
    text.push_str(&html[at..]);
    let lines = text.lines().map(|line| words(&entities(line)));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn entities(text: &str) -> String {
    [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, char)| {
        text.replace(entity, char)
    })
}

/// The first sentence that does not only repeat the title.
fn first_sentence(text: &str, title: &str) -> String {
    let mut lines = text
        .lines()
        .filter(|line| !line.eq_ignore_ascii_case(title));
    let line = lines.next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::reduced;

    #[test]
    fn a_page_becomes_its_title_and_first_sentence() {
        for (page, text) in [
            (
                "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
                    <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.25</center>",
                "502 Bad Gateway: nginx/1.25",
            ),
            (
                "\u{feff}<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=x>\
                    <TITLE>Blocked &amp; logged</TITLE><style>p{}</style></head>\
                    <body class=\"a\"><script>if (a<b) x()</script><!-- <p>no</p> -->\
                    <p>Your <b>request</b> was refused. Call us.</p></body></html>",
                "Blocked & logged: Your request was refused.",
            ),
            ("<html><body></body></html>", "an HTML page without text"),
            ("<html><head><title>Öffnen", "Öffnen"),
        ] {
            assert_eq!(reduced(page).as_deref(), Some(text));
        }
    }

    #[test]
    fn other_texts_are_no_pages() {
        for text in ["", "bad gateway", "a < b", "{\"error\":\"<html>\"}"] {
            assert_eq!(reduced(text), None, "{text}");
        }
    }

    #[test]
    fn a_page_cut_anywhere_is_reduced_without_a_panic() {
        let page = "<!doctype html><head><title>ä</title></head><body><!-- ö --><p>ü. ß</p>";
        for (end, _) in page.char_indices() {
            reduced(&page[..end]);
        }
    }
}
