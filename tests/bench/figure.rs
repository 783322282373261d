use serde_json::{Value, json};

/// A measured number and its target.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) goal: Goal,
    /// The raw measurements.
    pub(crate) with: Value,
}

/// The target.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    AtMost { must: f64, aim: f64 },
    AtLeast { must: f64, aim: f64 },
}

impl Figure {
    pub(crate) fn is_ok(&self) -> bool {
        match self.goal {
            Goal::AtMost { must, .. } => self.value <= must,
            Goal::AtLeast { must, .. } => self.value >= must,
        }
    }

    fn is_aim_reached(&self) -> bool {
        match self.goal {
            Goal::AtMost { aim, .. } => self.value <= aim,
            Goal::AtLeast { aim, .. } => self.value >= aim,
        }
    }

    pub(crate) fn json(&self) -> Value {
        let (must, aim) = match self.goal {
            Goal::AtMost { must, aim } | Goal::AtLeast { must, aim } => (must, aim),
        };
        json!({
            "figure": self.name,
            "value": rounded(self.value),
            "unit": self.unit,
            "must": rounded(must),
            "aim": rounded(aim),
            "ok": self.is_ok(),
            "with": self.with,
        })
    }
}

/// The number of figures, and those that miss their targets.
pub(crate) fn summary(figures: &[Figure]) -> Value {
    let names = |wanted: fn(&Figure) -> bool| -> Vec<&str> {
        let found = figures.iter().filter(|figure| wanted(figure));
        found.map(|figure| figure.name).collect()
    };
    json!({
        "summary": {
            "figures": figures.len(),
            "ok": figures.iter().all(Figure::is_ok),
            "missed": names(|figure| !figure.is_ok()),
            "aimMissed": names(|figure| !figure.is_aim_reached()),
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
        }
    })
}

/// Rounds to four significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits.max(0));
    (value * scale).round() / scale
}
