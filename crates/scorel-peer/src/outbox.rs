use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::JsonText;

/// What a queued text costs beyond its bytes: its place in the queue, and the headers of its parts.
const OVERHEAD: usize = 64;

/// Bytes handed to the writer, or admitted for one subscription, at a time. Between two chunks of one
/// subscription others get a turn.
const CHUNK: usize = 64 * 1024;

/// Capacity that an idle queue keeps, in texts.
const KEPT_TEXTS: usize = 64;

/// The connection or the subscription has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("closed")]
pub struct Closed;

/// The texts that wait to be written to one connection, in order, bounded in bytes.
///
/// The bound is in bytes and not in messages, since a message has between 100 bytes and 16 MiB. Room is
/// granted first come, first served (the semaphore is fair), so a small text cannot starve a large one.
/// Texts that are being written still take room, so the bound covers all memory of the connection's
/// output. A text larger than the bound is admitted alone.
#[derive(Debug)]
pub struct Outbox {
    room: Semaphore,
    bound: usize,
    queue: Mutex<OutboxQueue>,
}

#[derive(Debug)]
struct OutboxQueue {
    texts: VecDeque<(JsonText, usize)>,
    open: bool,
    /// Of the writer, while it waits for texts.
    writer: Option<Waker>,
}

/// Whether to wake the writer after queueing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    Writer,
    /// The sender runs in the writer's task, which polls the writer next anyway.
    No,
}

impl Outbox {
    pub fn new(bound: usize) -> Self {
        Self {
            room: Semaphore::new(bound),
            bound,
            queue: Mutex::new(OutboxQueue {
                texts: VecDeque::new(),
                open: true,
                writer: None,
            }),
        }
    }

    /// Queues a reply as soon as there is room. Only for the task that also writes.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn reply(&self, text: JsonText) -> Result<(), Closed> {
        self.admit([text], None, Wake::No).await
    }

    /// Queues a text as soon as there is room.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn send(&self, text: JsonText) -> Result<(), Closed> {
        self.admit([text], None, Wake::Writer).await
    }

    /// Queues a text if there is room for it.
    ///
    /// # Errors
    /// There is none, or the connection has ended.
    pub fn try_send(&self, text: JsonText) -> Result<(), Closed> {
        let room = self.room.try_acquire_many(self.room_for(self.cost(&text)));
        self.queue_texts([text], room.map_err(|_| Closed)?, None, Wake::Writer)
    }

    /// Queues texts in order as soon as there is room, in groups of at most 64 KiB bytes. Stops with
    /// an error once `alive` is false.
    ///
    /// # Errors
    /// The connection has ended, or what the texts belong to; the first may have been queued.
    pub async fn send_all(&self, texts: Vec<JsonText>, alive: &AtomicBool) -> Result<(), Closed> {
        let mut group = Vec::new();
        let mut total = 0;
        for text in texts {
            let cost = self.cost(&text);
            if total + cost > CHUNK && !group.is_empty() {
                let group = std::mem::take(&mut group);
                self.admit(group, Some(alive), Wake::Writer).await?;
                total = 0;
            }
            total += cost;
            group.push(text);
        }
        self.admit(group, Some(alive), Wake::Writer).await
    }

    /// Queues one text, unless `alive` is false by the time there is room.
    ///
    /// # Errors
    /// The connection has ended, or what the text belongs to.
    pub async fn send_if(&self, text: JsonText, alive: &AtomicBool) -> Result<(), Closed> {
        self.admit([text], Some(alive), Wake::Writer).await
    }

    async fn admit<T>(&self, texts: T, alive: Option<&AtomicBool>, wake: Wake) -> Result<(), Closed>
    where
        T: IntoIterator<Item = JsonText> + AsRef<[JsonText]>,
    {
        let cost = texts.as_ref().iter().map(|text| self.cost(text)).sum();
        let room = self.room.acquire_many(self.room_for(cost)).await;
        self.queue_texts(texts, room.map_err(|_| Closed)?, alive, wake)
    }

    fn queue_texts<T: IntoIterator<Item = JsonText>>(
        &self,
        texts: T,
        room: SemaphorePermit<'_>,
        alive: Option<&AtomicBool>,
        wake: Wake,
    ) -> Result<(), Closed> {
        let mut queue = self.queue();
        if !queue.open || alive.is_some_and(|alive| !alive.load(Ordering::Acquire)) {
            return Err(Closed);
        }
        for text in texts {
            let cost = self.cost(&text);
            queue.texts.push_back((text, cost));
        }
        room.forget();
        if wake == Wake::Writer {
            queue.wake();
        }
        Ok(())
    }

    /// Moves the next texts to `batch`. Returns the room to [release](Self::release) when they are
    /// written; `None` once the outbox is closed and empty.
    pub async fn take(&self, batch: &mut Vec<JsonText>) -> Option<usize> {
        poll_fn(|cx| {
            let mut queue = self.queue();
            match queue.take(batch) {
                0 if queue.open => {
                    queue.writer = Some(cx.waker().clone());
                    Poll::Pending
                }
                0 => Poll::Ready(None),
                room => Poll::Ready(Some(room)),
            }
        })
        .await
    }

    pub fn release(&self, room: usize) {
        self.room.add_permits(room);
    }

    /// Runs `change` under the queue's lock: a text is queued entirely before or after it.
    pub fn fence(&self, change: impl FnOnce()) {
        let _queue = self.queue();
        change();
    }

    /// Refuses further texts; those queued can still be taken.
    pub fn close(&self) {
        self.room.close();
        let mut queue = self.queue();
        queue.open = false;
        queue.wake();
    }

    /// In bytes with overhead; at most the bound.
    pub fn used(&self) -> usize {
        self.bound.saturating_sub(self.room.available_permits())
    }

    fn room_for(&self, cost: usize) -> u32 {
        u32::try_from(cost.min(self.bound)).unwrap_or(u32::MAX)
    }

    fn cost(&self, text: &JsonText) -> usize {
        (text.len() + OVERHEAD).min(self.bound)
    }

    fn queue(&self) -> MutexGuard<'_, OutboxQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxQueue {
    /// Moves up to [`CHUNK`] bytes to `batch` and returns their room.
    fn take(&mut self, batch: &mut Vec<JsonText>) -> usize {
        let mut total = 0;
        while total < CHUNK
            && let Some((text, cost)) = self.texts.pop_front()
        {
            total += cost;
            batch.push(text);
        }
        if total == 0 {
            self.texts.shrink_to(KEPT_TEXTS);
        }
        total
    }

    fn wake(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }
}
