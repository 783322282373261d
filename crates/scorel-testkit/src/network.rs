use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{SinkExt as _, Stream, StreamExt as _, stream};
use scorel_peer::{FrameError, TextStream};
use tokio::task::yield_now;

use crate::SeededDice;

/// The turns of others that a text may be late by.
const LATE: u64 = 4;

/// The turns of others that a stream may stay half open for.
const HALF_OPEN: u64 = 200;

/// A network between the two ends of a stream of texts, seeded: texts are late, and streams are cut or
/// half open. It waits for no clock: late means that others had their turns.
#[derive(Debug, Clone)]
pub struct Network {
    dice: Arc<Mutex<SeededDice>>,
    /// After how many texts a stream is lost.
    losses: Option<Range<usize>>,
    lost: Arc<AtomicUsize>,
}

impl Network {
    /// A network that is only slow.
    pub fn slow(dice: SeededDice) -> Self {
        Self {
            dice: Arc::new(Mutex::new(dice)),
            losses: None,
            lost: Arc::default(),
        }
    }

    /// A network that also loses each stream, after a number of texts in this range. Half of them are cut;
    /// the others are half open for a while: what either end writes is lost, and neither knows.
    pub fn lossy(dice: SeededDice, losses: Range<usize>) -> Self {
        Self {
            losses: Some(losses),
            ..Self::slow(dice)
        }
    }

    /// The number of streams that were lost.
    pub fn lost(&self) -> usize {
        self.lost.load(Ordering::SeqCst)
    }

    /// The stream as it is at this end of the network.
    pub fn carry(&self, stream: TextStream) -> TextStream {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let is_lost = Arc::new(AtomicBool::new(false));
        let way = Way {
            texts: stream.incoming,
            left: self.losses.clone().map(|losses| dice.index(losses)),
            is_half_open: dice.chance(50),
            is_lost: Arc::clone(&is_lost),
            lost: Arc::clone(&self.lost),
            dice: dice.fork(),
        };
        let incoming = stream::unfold(way, |mut way| async { Some((way.next().await?, way)) });
        let mut dice = dice.fork();
        let outgoing = stream.outgoing.with_flat_map(move |text| {
            let late = dice.roll(0..LATE);
            let arrives = usize::from(!is_lost.load(Ordering::SeqCst));
            let text = async move {
                others_take(late).await;
                Ok(text)
            };
            Box::pin(stream::once(text).take(arrives))
        });
        TextStream::new(incoming, outgoing)
    }
}

type Texts = Pin<Box<dyn Stream<Item = Result<Bytes, FrameError>> + Send>>;

/// The texts that come over a network.
struct Way {
    texts: Texts,
    /// Texts until the loss.
    left: Option<usize>,
    is_half_open: bool,
    is_lost: Arc<AtomicBool>,
    lost: Arc<AtomicUsize>,
    dice: SeededDice,
}

impl Way {
    async fn next(&mut self) -> Option<Result<Bytes, FrameError>> {
        others_take(self.dice.roll(0..LATE)).await;
        if self.left == Some(0) {
            self.lose().await;
            return None;
        }
        let text = self.texts.next().await?;
        self.left = self.left.map(|left| left - 1);
        Some(text)
    }

    /// Loses what still comes, until this end learns that the stream has ended.
    async fn lose(&mut self) {
        self.is_lost.store(true, Ordering::SeqCst);
        self.lost.fetch_add(1, Ordering::SeqCst);
        if !self.is_half_open {
            return;
        }
        for _ in 0..self.dice.roll(1..HALF_OPEN) {
            tokio::select! { biased;
                text = self.texts.next() => if text.is_none() { return },
                () = yield_now() => {}
            }
        }
    }
}

/// Lets others have so many turns.
async fn others_take(turns: u64) {
    for _ in 0..turns {
        yield_now().await;
    }
}
