//! The tools that a turn is offered: the daemon's own, and those of programs.

use scorel_engine::{ToolClass, ToolList};
use scorel_proto::{ErrorChain, ToolPreset, TurnError};
use scorel_tool_set::{ToolWish, TurnTools};
use tokio::runtime::Handle;

use super::new_turn::NewTurn;
use super::offered::is_offered;
use super::turn_error::{config_error, turn_error};
use super::{ToolPlace, Turns, tool_source};

impl Turns {
    /// The daemon's own tools. Ends early when the turn is over: then nothing waits for it.
    pub(super) fn own_tools(
        &self,
        turn: &NewTurn<'_>,
        place: &ToolPlace,
    ) -> Result<ToolList, TurnError> {
        let tools = waited(turn, tool_source::tools(&self.sources, place))??;
        ToolList::new(tools).map_err(config_error)
    }

    /// The tools of a turn of the engine, with those of programs, as far as the preset offers them.
    pub(super) fn offered_tools(
        &self,
        turn: &NewTurn<'_>,
        place: &ToolPlace,
        preset: ToolPreset,
        window: u64,
    ) -> Result<(ToolList, TurnTools), TurnError> {
        let mut tools = waited(turn, tool_source::tools(&self.sources, place))??;
        let mut outside = match is_offered(preset, ToolClass::Outside) {
            true => self.outside_tools(turn, place, window)?,
            false => TurnTools::default(),
        };
        tools.append(&mut outside.offered);
        let tools = ToolList::new(tools).map_err(config_error)?;
        let tools = tools.deferring(std::mem::take(&mut outside.deferred));
        let mut tools = tools.only(|spec| is_offered(preset, spec.class));
        for screen in self.sources.iter().filter_map(|it| it.screen(place)) {
            tools = tools.screened_by(&screen);
        }
        Ok((tools, outside))
    }

    fn outside_tools(
        &self,
        turn: &NewTurn<'_>,
        place: &ToolPlace,
        window: u64,
    ) -> Result<TurnTools, TurnError> {
        let sources = self.sources.iter();
        let sources: Vec<_> = sources.flat_map(|source| source.outside(place)).collect();
        let (known, blobs) = (&turn.request.known, turn.blobs());
        let wish = ToolWish {
            sources: &sources,
            known: known.tool_set.as_ref(),
            is_due: known.tools_due,
            told: known.tools.as_ref(),
            refused: &known.refused_tools,
            window,
            blobs: &*blobs,
        };
        let tools = waited(turn, turn.session.tool_sets.turn(wish))?;
        tools.map_err(|error| turn_error("tools_unavailable", ErrorChain(&error).to_string()))
    }
}

/// Waits on this thread, where one hand-over serves all of a preparation.
fn waited<T>(turn: &NewTurn<'_>, future: impl Future<Output = T>) -> Result<T, TurnError> {
    Handle::current().block_on(async {
        tokio::select! {
            biased;
            found = future => Ok(found),
            () = turn.stop.cancelled() => Err(turn_error("cancelled", "the turn is over")),
        }
    })
}
