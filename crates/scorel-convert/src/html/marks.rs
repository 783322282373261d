use html2text::render::TextDecorator;
use url::Url;

/// Decorates the text with Markdown.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    base: Url,
    /// The targets of the open links; empty for links that are not shown.
    open: Vec<String>,
}

impl Marks {
    /// Links are resolved against `base`.
    pub(super) const fn new(base: Url) -> Self {
        Self {
            base,
            open: Vec::new(),
        }
    }
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
        Self::new(self.base.clone())
    }
}
