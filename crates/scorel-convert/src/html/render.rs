//! HTML to Markdown, in the child process.

use std::rc::Rc;

use url::Url;

use super::marks::Marks;

/// Where lines are wrapped, in columns. Wide, because wrapping inside an address breaks it; not wider,
/// because table cells are padded up to it.
const WIDTH: usize = 500;

/// The greatest depth of nested elements; the limit of Blink and WebKit.
const MAX_DEPTH: usize = 512;

/// Above this number of table cells tables are not laid out: each cell may be padded to a full line.
const MAX_CELLS: usize = 20_000;

/// Converts a page to Markdown. Links are resolved against `base`. Takes as much time and memory as
/// the page makes it.
pub(super) fn render(html: &str, base: Url) -> Result<String, String> {
    let config = html2text::config::with_decorator(Marks::new(base))
        .link_footnotes(false)
        .no_link_wrapping()
        .no_table_borders()
        .raw_mode(cells(html) > MAX_CELLS)
        .allow_width_overflow();
    let failed = |error: html2text::Error| error.to_string();
    let document = config.parse_html(html.as_bytes()).map_err(failed)?;
    let mut open = vec![(Rc::clone(&document.document), 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err("elements are nested too deeply".to_owned());
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

#[cfg(test)]
mod tests {
    use url::Url;

    use super::render;

    fn text(html: &str) -> String {
        render(html, Url::parse("https://a.org/docs/index.html").unwrap()).unwrap()
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
    fn a_document_does_not_grow_without_bound() {
        for html in [
            format!("<table>{}", "<td>x".repeat(50_000)),
            format!("<table>{}", "<tr><td>x<td>y".repeat(15_000)),
            "<ul><li>x".repeat(200),
            "<hr>".repeat(10_000),
            "<blockquote>x".repeat(400),
        ] {
            let text = text(&html);
            assert!(text.len() < 12 << 20, "{}: {}", &html[..20], text.len());
        }
    }
}
