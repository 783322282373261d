//! HTML as text.

use html2text::render::TextDecorator;
use url::Url;

use crate::error::FetchError;

/// Where lines are wrapped, in columns. What is wrapped in the middle of an address is lost, and
/// tables are filled with spaces up to here.
const WIDTH: usize = 500;

/// What a reader would see of a page, with the links; they are relative to `base`.
pub(crate) fn to_text(html: &str, base: &Url) -> Result<String, FetchError> {
    let marks = Marks {
        base: base.clone(),
        open: Vec::new(),
    };
    html2text::config::with_decorator(marks)
        .link_footnotes(false)
        .no_link_wrapping()
        .no_table_borders()
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), WIDTH)
        .map_err(|error| FetchError::Html(error.to_string()))
}

/// The marks of Markdown.
#[derive(Debug, Clone)]
struct Marks {
    base: Url,
    /// The addresses of the links that are open.
    open: Vec<String>,
}

fn plain(mark: &str) -> (String, ()) {
    (mark.to_owned(), ())
}

impl TextDecorator for Marks {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        // Links within the page, and those that a program would follow, say nothing to a reader.
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
    use url::Url;

    use super::to_text;

    fn text(html: &str) -> String {
        to_text(html, &Url::parse("https://a.org/docs/index.html").unwrap()).unwrap()
    }

    #[test]
    fn a_page_is_what_a_reader_would_see_of_it() {
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
        for open in [
            "<div>",
            "<b>",
            "<ul><li>",
            "<table><tr><td>",
            "<blockquote>",
            "<a href=x>",
        ] {
            let _ = to_text(&open.repeat(1_000), &Url::parse("http://a.org").unwrap());
        }
        let _ = text(&format!(
            "<table><tr><td colspan=4000000000 rowspan=0>{}",
            "<td>x".repeat(2000)
        ));
    }
}
