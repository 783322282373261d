//! What model calls cost, and how much they may.

use scorel_engine::{
    CostLimits, ProviderError, ProviderEvent, Spending, TokenPrice, TurnLimits, TurnProgress,
};
use scorel_proto::{Cost, CostSource, CostTotal, OutcomeReason, StopReason, Usage};

use crate::model::{Script, ScriptedModel, overloaded};
use crate::play::Scene;
use crate::toolbox::Tool;

/// Each token costs a millionth of a dollar.
const PRICE: TokenPrice = TokenPrice {
    input: 1_000_000,
    output: 1_000_000,
    cache_read: None,
    cache_write: None,
    source: CostSource::Table,
};

fn scene(scripts: impl IntoIterator<Item = Script>, price: Option<TokenPrice>) -> Scene {
    let mut scene = Scene::new([], [Tool::reads("Read")]);
    scene.model = ScriptedModel::priced(scripts, price);
    scene
}

fn limited(cost: CostLimits) -> TurnLimits {
    TurnLimits {
        cost,
        ..TurnLimits::default()
    }
}

fn asks(tokens: u64) -> Script {
    Script::default()
        .call("c1", "Read", "{}")
        .done_using(StopReason::ToolUse, tokens)
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_its_cost_and_the_turn_the_sum() {
    let played = scene([asks(100), Script::says("hi")], Some(PRICE))
        .play()
        .await;
    let costs: Vec<_> = played.messages().iter().map(|one| one.cost).collect();
    let cost = |micro_usd| {
        Some(Cost {
            micro_usd,
            source: CostSource::Table,
        })
    };
    assert_eq!(costs, [cost(100), cost(10)]);
    let total = CostTotal {
        micro_usd: 110,
        unpriced: 0,
    };
    assert_eq!(played.end.cost, total);
}

#[tokio::test(start_paused = true)]
async fn tokens_without_a_price_are_counted_apart() {
    let played = scene([asks(100), Script::says("hi")], None).play().await;
    assert!(played.messages().iter().all(|one| one.cost.is_none()));
    assert_eq!(played.end.cost.unpriced, 110);
    assert_eq!(played.end.cost.micro_usd, 0);
}

#[tokio::test(start_paused = true)]
async fn the_users_price_stands_above_the_reported_cost_and_that_above_the_table() {
    let done = || {
        Script::default().text(&["hi"]).event(ProviderEvent::Done {
            stop_reason: StopReason::EndTurn,
            usage: Some(Usage {
                input_tokens: 10,
                ..Usage::default()
            }),
            charged: Some(7),
            provider: None,
        })
    };
    let config = TokenPrice {
        source: CostSource::Config,
        ..PRICE
    };
    for (price, micro_usd, source) in [
        (Some(PRICE), 7, CostSource::Reported),
        (None, 7, CostSource::Reported),
        (Some(config), 10, CostSource::Config),
    ] {
        let played = scene([done()], price).play().await;
        let cost = Cost { micro_usd, source };
        assert_eq!(played.messages()[0].cost, Some(cost));
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_failed_cost_too() {
    let error = ProviderError {
        usage: Some(Usage {
            input_tokens: 5,
            ..Usage::default()
        }),
        ..overloaded(None)
    };
    let failed = Script::default().fail(error);
    let played = scene([failed, Script::says("hi")], Some(PRICE))
        .play()
        .await;
    assert_eq!(played.story()[1], "charged 5");
    assert_eq!(played.end.cost.micro_usd, 15);
}

#[tokio::test(start_paused = true)]
async fn each_limit_of_cost_ends_the_turn_before_the_call_that_would_exceed_it() {
    let max = Some(1_000);
    let limits = |turn, session, day| CostLimits { turn, session, day };
    let spent = |session_micro_usd, day_micro_usd| Spending {
        session_micro_usd,
        day_micro_usd,
        input_tokens: 1,
    };
    for (limits, spending, code) in [
        (limits(max, None, None), spent(0, 0), "turn_cost"),
        (limits(None, max, None), spent(1_000, 0), "session_cost"),
        (limits(None, None, max), spent(0, 1_000), "day_cost"),
    ] {
        let mut scene = scene([asks(1_000), asks(1_000)], Some(PRICE));
        scene.limits = limited(limits);
        scene.spending = spending;
        let played = scene.play().await;
        assert_eq!(played.outcome(), (OutcomeReason::Limit, Some(code)));
        // The turn's own limit allows the first call: nothing was spent before it.
        let calls = usize::from(code == "turn_cost");
        assert_eq!(scene.model.calls(), calls, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_input_of_the_next_call_counts() {
    for (input_tokens, calls) in [(101, 0), (100, 1)] {
        let mut scene = scene([Script::says("hi")], Some(PRICE));
        scene.limits = limited(CostLimits {
            turn: Some(100),
            ..CostLimits::default()
        });
        scene.spending.input_tokens = input_tokens;
        scene.play().await;
        assert_eq!(scene.model.calls(), calls, "{input_tokens}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_turn_has_the_limit_of_the_whole_turn() {
    let mut scene = scene([], Some(PRICE));
    scene.limits = limited(CostLimits {
        turn: Some(1_000),
        ..CostLimits::default()
    });
    scene.spending.input_tokens = 1;
    scene.progress = TurnProgress {
        cost: CostTotal {
            micro_usd: 1_000,
            unpriced: 0,
        },
        steps: 1,
        ..TurnProgress::default()
    };
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("turn_cost")));
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_cost_needs_a_price_and_reported_usage() {
    let limits = || {
        limited(CostLimits {
            day: Some(1_000_000),
            ..CostLimits::default()
        })
    };
    let mut unpriced = scene([], None);
    unpriced.limits = limits();
    let played = unpriced.play().await;
    let unknown = (OutcomeReason::Error, Some("cost_unknown"));
    assert_eq!(played.outcome(), unknown);
    assert_eq!(unpriced.model.calls(), 0);

    let silent = || {
        Script::default()
            .call("c1", "Read", "{}")
            .event(ProviderEvent::Done {
                stop_reason: StopReason::ToolUse,
                usage: None,
                charged: None,
                provider: None,
            })
    };
    let mut unreported = scene([silent()], Some(PRICE));
    unreported.limits = limits();
    assert_eq!(unreported.play().await.outcome(), unknown);
    assert_eq!(unreported.model.calls(), 1);

    let mut free = scene([silent(), Script::says("hi")], Some(TokenPrice::FREE));
    free.limits = limits();
    assert_eq!(free.play().await.outcome().0, OutcomeReason::Completed);
}
