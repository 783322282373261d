//! HTML to Markdown.

use std::io::{self, Read};
use std::rc::Rc;
use std::time::{Duration, Instant};

use html2text::render::TextDecorator;
use url::Url;

use crate::error::FetchError;

/// Where lines are wrapped, in columns. Wide, because wrapping inside an address breaks it; not wider,
/// because table cells are padded up to it.
const WIDTH: usize = 500;

/// How long the parser may work on a document. Some take it quadratic time.
const PARSE_LIMIT: Duration = Duration::from_secs(3);

/// How deep elements may be nested; the limit of Blink and WebKit.
const MAX_DEPTH: usize = 512;

/// Above this number of table cells tables are not laid out: each cell may be padded to a full line.
const MAX_CELLS: usize = 20_000;

/// Converts a page to Markdown. Links are resolved against `base`.
pub(crate) fn to_text(html: &str, base: &Url) -> Result<String, FetchError> {
    to_text_within(PARSE_LIMIT, html, base)
}

fn to_text_within(limit: Duration, html: &str, base: &Url) -> Result<String, FetchError> {
    let marks = Marks {
        base: base.clone(),
        open: Vec::new(),
    };
    let config = html2text::config::with_decorator(marks)
        .link_footnotes(false)
        .no_link_wrapping()
        .no_table_borders()
        .raw_mode(cells(html) > MAX_CELLS)
        .allow_width_overflow();
    let failed = |error: html2text::Error| FetchError::Html(error.to_string());
    let document = config
        .parse_html(Limited::new(html, limit))
        .map_err(failed)?;
    let mut open = vec![(Rc::clone(&document.document), 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err(FetchError::Html(
                "elements are nested too deeply".to_owned(),
            ));
        }
        let children = node.children.borrow();
        open.extend(children.iter().map(|child| (Rc::clone(child), depth + 1)));
    }
    let tree = config.dom_to_render_tree(&document).map_err(failed)?;
    config.render_to_string(tree, WIDTH).map_err(failed)
}

/// An upper estimate of the number of table cells, without parsing.
fn cells(html: &str) -> usize {
    let tags = html
        .match_indices('<')
        .filter_map(|(at, _)| html.as_bytes().get(at + 1..at + 3));
    tags.filter(|name| name.eq_ignore_ascii_case(b"td") || name.eq_ignore_ascii_case(b"th"))
        .count()
}

/// A document that the parser reads until a deadline: reading is where it can be stopped.
struct Limited<'a> {
    rest: &'a [u8],
    deadline: Instant,
}

impl<'a> Limited<'a> {
    fn new(html: &'a str, limit: Duration) -> Self {
        Self {
            rest: html.as_bytes(),
            deadline: Instant::now() + limit,
        }
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.deadline {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "parsing took too long",
            ));
        }
        let part = buffer.len().min(4096);
        self.rest.read(&mut buffer[..part])
    }
}

/// Decorates the text with Markdown.
#[derive(Debug, Clone)]
struct Marks {
    base: Url,
    /// The targets of the open links; empty for links that are not shown.
    open: Vec<String>,
}

fn plain(mark: &str) -> (String, ()) {
    (mark.to_owned(), ())
}

impl TextDecorator for Marks {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        // Fragments and `javascript:` lead nowhere outside the page.
        let target = self.base.join(url).ok().filter(|target| {
            matches!(target.scheme(), "http" | "https" | "mailto") && !url.starts_with('#')
        });
        self.open.push(target.map(String::from).unwrap_or_default());
        plain(if self.open.last().is_some_and(|url| !url.is_empty()) {
            "["
        } else {
            ""
        })
    }

    fn decorate_link_end(&mut self) -> String {
        match self.open.pop() {
            Some(url) if !url.is_empty() => format!("]({url})"),
            _ => String::new(),
        }
    }

    fn decorate_em_start(&self) -> (String, ()) {
        plain("*")
    }

    fn decorate_em_end(&self) -> String {
        "*".to_owned()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        plain("**")
    }

    fn decorate_strong_end(&self) -> String {
        "**".to_owned()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        plain("~~")
    }

    fn decorate_strikeout_end(&self) -> String {
        "~~".to_owned()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        plain("`")
    }

    fn decorate_code_end(&self) -> String {
        "`".to_owned()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, _src: &str, title: &str) -> (String, ()) {
        (format!("[picture: {title}]"), ())
    }

    fn header_prefix(&self, level: usize) -> String {
        "#".repeat(level) + " "
    }

    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }

    fn unordered_item_prefix(&self) -> String {
        "- ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }

    fn make_subblock_decorator(&self) -> Self {
        Self {
            base: self.base.clone(),
            open: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use url::Url;

    use super::{to_text, to_text_within};

    fn text(html: &str) -> String {
        to_text(html, &Url::parse("https://a.org/docs/index.html").unwrap()).unwrap()
    }

    #[test]
    fn a_page_becomes_its_visible_text() {
        let html = "<title>T</title><script>bad()</script><style>p{}</style><h1>Head <a href='#h'>¶</a></h1>\
            <p>One <a href='../y?q=1#f'>link</a>, <em>e</em> <b>s</b> <code>c()</code> <a href='javascript:x'>js</a>\
            <!-- remark --></p><pre>fn x() {\n    1\n}</pre><ul><li>a<li>b<ol><li>c</ol></ul>\
            <blockquote>q</blockquote><table><tr><th>A<th>B<tr><td>1<td>2</table><img src=x alt=dog><img src=y>";
        assert_eq!(
            text(html),
            "# Head ¶\n\nOne [link](https://a.org/y?q=1#f), *e* **s** `c()` js\n\nfn x() {\n    1\n}\n- a\n- b\n  \
             1. c\n\n> q\n\nA B\n1 2\n[picture: dog]\n"
        );
    }

    #[test]
    fn long_links_are_whole() {
        let path = "x".repeat(400);
        assert!(text(&format!("<p>word <a href='{path}'>long</a>")).contains(&format!("/{path})")));
    }

    #[test]
    fn monstrous_documents_come_to_an_end() {
        let base = Url::parse("http://a.org").unwrap();
        let limit = Duration::from_millis(200);
        for open in ["<div>", "<b>", "<ul><li>x", "<blockquote>x", "<span>"] {
            // Either it takes the parser too long, or it is nested too deeply.
            let deep = to_text_within(limit, &open.repeat(100_000), &base);
            assert!(deep.is_err(), "{open}");
        }
        for html in [
            "<table><tr><td colspan=4000000000 rowspan=0>x",
            "<ol start=-9223372036854775808><li>",
        ] {
            let _ = to_text(html, &base);
        }
    }

    #[test]
    fn a_document_does_not_grow_without_bound() {
        let base = Url::parse("http://a.org").unwrap();
        for html in [
            format!("<table>{}", "<td>x".repeat(50_000)),
            format!("<table>{}", "<tr><td>x<td>y".repeat(15_000)),
            "<ul><li>x".repeat(200),
            "<hr>".repeat(10_000),
            "<blockquote>x".repeat(400),
        ] {
            // The size is the subject: a busy machine may exceed the usual time.
            let text = to_text_within(Duration::from_secs(600), &html, &base).unwrap();
            assert!(text.len() < 12 << 20, "{}: {}", &html[..20], text.len());
        }
    }
}
