use crate::{EngineEvent, PendingCall, Prerequisite, Question, TurnEnd};
use scorel_proto::TurnError;

/// An event of a turn, or a request for what it needs to go on.
#[derive(Debug)]
pub enum TurnStep {
    /// The spending so far is due, because a cost is limited: answer with
    /// [`TurnDriver::provide_spending`](crate::TurnDriver::provide_spending). `day` is set if the day's cost is limited.
    NeedSpending { day: bool },
    /// The context of the next model call is due: answer with [`TurnDriver::provide_context`](crate::TurnDriver::provide_context), with
    /// [`TurnDriver::fail`](crate::TurnDriver::fail) if none is possible, or with neither if it took a while to make room: the
    /// turn then looks again whether it may go on.
    NeedContext {
        /// The call was made before, and failed.
        repeated: bool,
    },
    /// The endpoint refused a request as larger than the model's window. Answered as
    /// [`TurnStep::NeedContext`], once a call.
    NeedRoom(TurnError),
    /// The endpoint refused a request because of the descriptions of these tools, which are from outside. Answer with
    /// [`TurnDriver::set_tools`](crate::TurnDriver::set_tools), a list that does not describe them, or with
    /// [`TurnDriver::fail`](crate::TurnDriver::fail).
    NeedTools {
        refused: Vec<String>,
        error: TurnError,
    },
    /// A question must be answered, with [`TurnDriver::provide_permission`](crate::TurnDriver::provide_permission). The time until then does
    /// not count against the turn's time limit.
    NeedPermission {
        call: PendingCall,
        question: Question,
    },
    /// Tool calls cannot begin yet. Ask for the next step when they can, or before that if the turn is to
    /// stop or to park.
    NotReady(Prerequisite),
    /// To be persisted or published before the next step.
    Event(EngineEvent),
    /// The turn waits, as the event before said. This driver is done: make a new one when the wait
    /// is over, with [`TurnDriver::after`](crate::TurnDriver::after).
    Suspended,
    /// The turn stopped at a step boundary, because its signal asked it to park: every tool that was
    /// started has its result. This driver is done: the next daemon makes a new one, with
    /// [`TurnDriver::with_calls`](crate::TurnDriver::with_calls) if calls of the last answer are left, else with
    /// [`TurnDriver::after`](crate::TurnDriver::after).
    Parked,
    /// The turn is over. A completed turn is extended with [`TurnDriver::go_on`](crate::TurnDriver::go_on) if a message was queued
    /// in the meantime.
    Finished(TurnEnd),
}
