//! How large the next request is, in tokens.
//!
//! In: a window, what a request has besides messages, and what the last answers have taught. Out: a
//! number to compare with the model's window. The endpoint's own count of the last request is exact,
//! and only what follows it is estimated; where there is no such count everything is.

use scorel_engine::{ModelInfo, ToolSpec, TurnPorts};
use scorel_proto::{ContextWindow, MeasuredCall, Seq, TokenEstimate};

/// How far an estimate may be corrected. Beyond that the endpoint's count means something else.
const FACTOR: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// What every request of a turn has besides messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedParts {
    pub(crate) system: TokenEstimate,
    pub(crate) tools: TokenEstimate,
}

impl FixedParts {
    pub(crate) fn of(ports: &TurnPorts) -> Self {
        Self {
            system: TokenEstimate::of_text(&ports.system),
            tools: ports.tools.specs().map(ToolSpec::tokens).sum(),
        }
    }

    pub(crate) fn all(&self) -> TokenEstimate {
        self.system + self.tools
    }
}

/// What the answers of one model have taught about its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Calibration {
    /// `provider:id`.
    model: String,
    factor: f64,
}

impl Calibration {
    pub(crate) fn new(model: &ModelInfo) -> Self {
        Self {
            model: model.name(),
            factor: 1.0,
        }
    }

    pub(crate) fn is_of(&self, model: &ModelInfo) -> bool {
        self.model == model.name()
    }

    /// Estimated tokens as this model is likely to count them.
    pub(crate) fn tokens(&self, estimate: TokenEstimate) -> u64 {
        (estimate.tokens() as f64 * self.factor).ceil() as u64
    }

    /// The endpoint refused a request of this estimated size as larger than the window.
    pub(crate) fn overflowed(&mut self, estimate: TokenEstimate, window: u64) {
        let least = ratio(window, estimate);
        self.factor = self.factor.max(least).clamp(*FACTOR.start(), *FACTOR.end());
    }
}

/// What a window says of its size.
#[derive(Debug, Clone)]
pub(crate) struct WindowSizes {
    pub(crate) tokens: TokenEstimate,
    pub(crate) measured: Option<MeasuredCall>,
}

impl WindowSizes {
    pub(crate) fn of(window: &ContextWindow) -> Self {
        Self {
            tokens: window.tokens(),
            measured: window.measured().cloned(),
        }
    }
}

/// The size of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextSize {
    pub(crate) tokens: u64,
    /// What the endpoint has counted of it; `None` if all is estimated.
    pub(crate) counted: Option<u64>,
    pub(crate) calibration: Calibration,
}

impl ContextSize {
    /// The size of the next request. `known` is the calibration learned before, `snapshot` the number of
    /// the record with the system prompt: a call before that record had another prompt.
    pub(crate) fn of(
        window: &WindowSizes,
        fixed: FixedParts,
        model: &ModelInfo,
        known: Option<Calibration>,
        snapshot: Option<Seq>,
    ) -> Self {
        let known = known.filter(|known| known.is_of(model));
        let mut calibration = known.unwrap_or_else(|| Calibration::new(model));
        let measured = window.measured.as_ref().filter(|measured| {
            measured.model == calibration.model
                && measured.usage.input_tokens > 0
                && snapshot.is_none_or(|snapshot| snapshot < measured.seq)
        });
        let Some(measured) = measured else {
            return Self {
                tokens: calibration.tokens(fixed.all() + window.tokens),
                counted: None,
                calibration,
            };
        };
        let request = fixed.all() + measured.before;
        let factor = ratio(measured.usage.input_tokens, request);
        calibration.factor = factor.clamp(*FACTOR.start(), *FACTOR.end());
        let rest = calibration.tokens(window.tokens - measured.through);
        Self {
            tokens: measured.usage.total().saturating_add(rest),
            counted: Some(measured.usage.total()),
            calibration,
        }
    }
}

fn ratio(tokens: u64, estimate: TokenEstimate) -> f64 {
    tokens as f64 / estimate.tokens().max(1) as f64
}

#[cfg(test)]
mod tests;
