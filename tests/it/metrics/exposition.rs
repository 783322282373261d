use std::collections::{BTreeMap, BTreeSet};

/// A page in the text format of Prometheus 0.0.4, read strictly: what a lenient scraper would accept and
/// another would not is a fault here.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    samples: BTreeMap<String, f64>,
    families: BTreeSet<String>,
}

/// The family whose samples are being read.
struct OpenFamily {
    name: String,
    kind: String,
}

impl Exposition {
    pub(super) fn parse(page: &str) -> Result<Self, String> {
        let Some(lines) = page.strip_suffix('\n') else {
            return Err("the last line has no end".to_owned());
        };
        let mut read = Self::default();
        let mut helped = None;
        let mut open = None;
        for line in lines.split('\n') {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').ok_or(line)?;
                if help.trim().is_empty() || !read.families.insert(name.to_owned()) {
                    return Err(format!("no help, or twice: {line}"));
                }
                (helped, open) = (Some(name.to_owned()), None);
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').ok_or(line)?;
                if helped.take().as_deref() != Some(name) {
                    return Err(format!("a type without help before it: {line}"));
                }
                open = Some(OpenFamily::new(name, kind)?);
            } else {
                let family = open
                    .as_ref()
                    .ok_or(format!("a sample without a type: {line}"))?;
                read.sample(family, line)?;
            }
        }
        read.check_histograms()?;
        Ok(read)
    }

    fn sample(&mut self, family: &OpenFamily, line: &str) -> Result<(), String> {
        let (series, value) = line.rsplit_once(' ').ok_or(line)?;
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}').ok_or(line)?),
            None => (series, ""),
        };
        let suffix = name.strip_prefix(&family.name).ok_or(line)?;
        let fits = match family.kind.as_str() {
            "histogram" => matches!(suffix, "_bucket" | "_sum" | "_count"),
            _ => suffix.is_empty(),
        };
        if !fits || !labels.split(',').filter(|it| !it.is_empty()).all(is_label) {
            return Err(format!("not a sample of {}: {line}", family.name));
        }
        let value: f64 = value.parse().map_err(|_| line.to_owned())?;
        if !value.is_finite() || value < 0.0 {
            return Err(format!("not a count: {line}"));
        }
        match self.samples.insert(series.to_owned(), value) {
            None => Ok(()),
            Some(_) => Err(format!("twice: {series}")),
        }
    }

    /// Buckets are cumulative, and the last one counts everything.
    fn check_histograms(&self) -> Result<(), String> {
        let mut buckets: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for (series, count) in &self.samples {
            let Some((name, labels)) = series.split_once("_bucket{") else {
                continue;
            };
            let (others, bound) = labels.rsplit_once("le=\"").ok_or(series.as_str())?;
            let bound = bound.strip_suffix("\"}").ok_or(series.as_str())?;
            let bound = bound.parse().map_err(|_| series.clone())?;
            let others = others.trim_end_matches(',');
            let total = if others.is_empty() {
                format!("{name}_count")
            } else {
                format!("{name}_count{{{others}}}")
            };
            buckets.entry(total).or_default().push((bound, *count));
        }
        for (total, mut bounds) in buckets {
            bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
            let grows = bounds.windows(2).all(|pair| pair[0].1 <= pair[1].1);
            let last = bounds.last().copied();
            if !grows || last != Some((f64::INFINITY, self.value(&total))) {
                return Err(format!("buckets of {total}: {bounds:?}"));
            }
        }
        Ok(())
    }

    /// The value of a series, written as on the page.
    pub(super) fn value(&self, series: &str) -> f64 {
        let found = self.samples.get(series);
        *found.unwrap_or_else(|| panic!("no {series} among {:#?}", self.series()))
    }

    pub(super) fn series(&self) -> Vec<&str> {
        self.samples.keys().map(String::as_str).collect()
    }
}

impl OpenFamily {
    fn new(name: &str, kind: &str) -> Result<Self, String> {
        let is_ours = name.strip_prefix("scorel_").is_some_and(is_name);
        let is_counter = name.ends_with("_total");
        let fits = match kind {
            "counter" => is_counter,
            "gauge" | "histogram" => !is_counter,
            _ => false,
        };
        if is_ours && fits {
            let (name, kind) = (name.to_owned(), kind.to_owned());
            return Ok(Self { name, kind });
        }
        Err(format!("not a name of a {kind}: {name}"))
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
}

/// The labels of the daemon have values of a few characters, none of which needs an escape.
fn is_label(label: &str) -> bool {
    let Some((name, value)) = label.split_once('=') else {
        return false;
    };
    let value = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    is_name(name)
        && value.is_some_and(|value| {
            let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"_-.+".contains(&it);
            !value.is_empty() && value.len() <= 32 && value.bytes().all(is_plain)
        })
}

#[test]
fn a_page_with_one_fault_is_refused() {
    let page = "# HELP scorel_a_total A.\n# TYPE scorel_a_total counter\nscorel_a_total{b=\"c\"} 1\n\
                # HELP scorel_t T.\n# TYPE scorel_t histogram\nscorel_t_bucket{le=\"1\"} 1\n\
                scorel_t_bucket{le=\"+Inf\"} 2\nscorel_t_sum 3\nscorel_t_count 2\n";
    let read = Exposition::parse(page).unwrap();
    assert_eq!(read.value(r#"scorel_a_total{b="c"}"#), 1.0);
    for (part, broken) in [
        ("# HELP scorel_a_total A.\n", ""),
        ("counter", "gauge"),
        (" 1\n# HELP scorel_t", " x\n# HELP scorel_t"),
        ("{b=\"c\"}", "{b=c}"),
        ("{b=\"c\"}", "{b=\"/home\"}"),
        ("scorel_t_sum", "scorel_t"),
        ("+Inf\"} 2", "+Inf\"} 0"),
        ("scorel_t_count 2\n", "scorel_t_count 3\n"),
        ("scorel_t_count 2\n", "scorel_t_count 2"),
        ("scorel_t_sum 3\n", "scorel_t_sum 3\nscorel_t_sum 3\n"),
    ] {
        assert!(page.contains(part), "{part}");
        let broken = page.replacen(part, broken, 1);
        assert!(Exposition::parse(&broken).is_err(), "accepted: {broken}");
    }
}
