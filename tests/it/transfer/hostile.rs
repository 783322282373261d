//! Contents that try to run or to fetch something where a conversation is shown as a document.

/// What stands before the hostile part: text, and what could be left open around it.
const BEFORE: [&str; 5] = [
    "",
    "</pre></div></details></body>",
    "-->]]></style></title></textarea></script>",
    "```\n````\n~~~\n",
    "\" ' ` > \u{0} \u{202e}",
];

/// The hostile parts. `URL` is an address that notices being asked, `OWN` a script that changes the
/// document's title.
const PARTS: [&str; 20] = [
    "<script>OWN</script>",
    "<ScRiPt src=URL/s></sCrIpT>",
    "<img src=URL/i onerror=\"OWN\">",
    "<svg onload=\"OWN\"><image href=URL/v /></svg>",
    "<svg><script>OWN</script></svg>",
    "<math><mtext><img src=URL/m onerror=OWN></mtext></math>",
    "<iframe src=URL/f srcdoc=\"<script>parent.OWN</script>\"></iframe>",
    "<object data=URL/o></object><embed src=URL/e>",
    "<video src=URL/v poster=URL/p autoplay onerror=OWN></video>",
    "<link rel=stylesheet href=URL/c><link rel=prefetch href=URL/g>",
    "<style>@import 'URL/a'; body{background:url(URL/b)}</style>",
    "<div style=\"background:url(URL/d)\" onmouseover=OWN>x</div>",
    "<meta http-equiv=refresh content=\"0;url=URL/r\">",
    "<base href=URL/><a href=x ping=URL/q autofocus onfocus=OWN tabindex=1>x</a>",
    "<form action=URL/h><input autofocus onfocus=OWN><button>x</form>",
    "<body onload=OWN background=URL/k>",
    "<details open ontoggle=OWN><summary>x</summary></details>",
    "![x](URL/n) [x](javascript:OWN) <javascript:OWN>",
    "&lt;script&gt;OWN&lt;/script&gt; &#60;script&#62;OWN&#60;/script&#62;",
    "<template><script>OWN</script></template><noscript><p title=\"</noscript><img src=URL/t onerror=OWN>\">",
];

/// A hundred contents.
pub(super) fn contents(url: &str) -> Vec<String> {
    let script = "document.title='owned'";
    let parts = PARTS.map(|part| part.replace("URL", url).replace("OWN", script));
    let all = BEFORE
        .iter()
        .flat_map(|before| parts.iter().map(move |part| format!("{before}{part}")));
    all.collect()
}
