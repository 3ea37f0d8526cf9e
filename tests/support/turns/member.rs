//! What stands around the parts of a turn.

use std::ops::Range;

use llm_wire_stub::*;
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

use super::values::{text, value};

pub(super) fn stop_reason() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::EndTurn),
        Just(StopReason::MaxTokens),
        text().prop_map(StopReason::StopSequence),
        Just(StopReason::ToolUse),
        Just(StopReason::PauseTurn),
        Just(StopReason::Refusal),
        Just(StopReason::ContextWindowExceeded),
        Just(StopReason::Compaction),
        text().prop_map(StopReason::Other),
        Just(StopReason::from("end_turn")),
    ]
}

pub(super) fn usage() -> impl Strategy<Value = Usage> {
    let counters = || {
        (any::<u64>(), any::<u64>(), 0_u64..9, 0_u64..9).prop_map(
            |(input, output, read, creation)| {
                Usage::input(input)
                    .output(output)
                    .cache_read(read)
                    .cache_creation(creation)
            },
        )
    };
    let said = (
        0_u64..3,
        option::of(any::<u64>()),
        option::of(0_u64..9),
        option::of(0_u64..9),
        vec(("[a-z]{1,7}", option::of("[a-z]{1,3}"), counters()), 0..2),
    );
    (counters(), said).prop_map(|(mut usage, (hour, thinking, searches, fetches, passes))| {
        usage = usage.cache_creation_1h(hour);
        if let Some(tokens) = thinking {
            usage = usage.thinking(tokens);
        }
        if let Some(requests) = searches {
            usage = usage.web_searches(requests);
        }
        if let Some(requests) = fetches {
            usage = usage.web_fetches(requests);
        }
        for (kind, model, counters) in passes {
            let pass = Iteration::new(kind, counters);
            usage = usage.iteration(match model {
                Some(model) => pass.model(model),
                None => pass,
            });
        }
        usage
    })
}

/// What stands in the envelope of a turn of Anthropic Messages.
pub(super) fn envelope() -> impl Strategy<Value = Vec<Member>> {
    vec(of_anthropic(), 0..5)
}

/// What stands in the envelope of any turn.
pub(super) fn any_member() -> impl Strategy<Value = Member> {
    let found = text().prop_map(|text| Member::Moderation(json!({"input": text})));
    prop_oneof![9 => of_anthropic(), 1 => found]
}

fn of_anthropic() -> impl Strategy<Value = Member> {
    prop_oneof![
        text()
            .prop_filter("an id is not empty", |id| !id.is_empty())
            .prop_map(Member::Id),
        stop_reason().prop_map(Member::StopReason),
        usage().prop_map(Member::Usage),
        usage().prop_map(Member::UsageAtStart),
        "[a-z0-9-]{1,12}".prop_map(Member::Model),
        (option::of(text()), option::of(text()), option::of(value())).prop_map(
            |(category, explanation, other)| {
                let mut details = StopDetails::new();
                if let Some(category) = category {
                    details = details.category(category);
                }
                if let Some(explanation) = explanation {
                    details = details.explanation(explanation);
                }
                if let Some(other) = other {
                    details = details.other("recommended_model", other);
                }
                Member::StopDetails(details)
            }
        ),
        (text(), text())
            .prop_map(|(id, time)| Member::Container(Container::new(id).expires_at(time))),
        value().prop_map(Member::ContextManagement),
        text().prop_map(Member::ServiceTier),
        text().prop_map(Member::InferenceGeo),
        (2023_u16..2028, 1_u8..=12).prop_map(|(year, month)| Member::Era(Era::of(year, month))),
    ]
}

#[derive(Clone, Debug)]
pub(crate) enum Member {
    Id(String),
    StopReason(StopReason),
    Usage(Usage),
    UsageAtStart(Usage),
    Model(String),
    StopDetails(StopDetails),
    Container(Container),
    ContextManagement(Value),
    Moderation(Value),
    ServiceTier(String),
    InferenceGeo(String),
    Era(Era),
    Interleaved,
}

impl Member {
    pub(super) fn add_to(self, turn: Turn) -> Turn {
        match self {
            Self::Id(id) => turn.id(id),
            Self::StopReason(reason) => turn.stop_reason(reason),
            Self::Usage(usage) => turn.usage(usage),
            Self::UsageAtStart(usage) => turn.usage_at_start(usage),
            Self::Model(model) => turn.model(model),
            Self::StopDetails(details) => turn.stop_details(details),
            Self::Container(container) => turn.container(container),
            Self::ContextManagement(applied) => turn.context_management(applied),
            Self::Moderation(found) => turn.moderation(found),
            Self::ServiceTier(tier) => turn.service_tier(tier),
            Self::InferenceGeo(geo) => turn.inference_geo(geo),
            Self::Era(era) => turn.era(era),
            Self::Interleaved => turn.interleaved_tool_calls(),
        }
    }
}

/// What every API has around its answers.
pub(super) fn common() -> impl Strategy<Value = Member> {
    let reason = prop_oneof![
        Just(StopReason::MaxTokens),
        Just(StopReason::Refusal),
        Just(StopReason::ContentFilter),
    ];
    prop_oneof![
        2 => reason.prop_map(Member::StopReason),
        2 => common_usage().prop_map(Member::Usage),
        1 => "[a-z0-9-]{1,12}".prop_map(Member::Model),
        1 => "[a-z0-9_-]{1,12}".prop_map(Member::Id),
    ]
}

/// Numbers that can be added up.
pub(super) fn tokens() -> Range<u64> {
    0..u64::from(u32::MAX)
}

pub(super) fn common_usage() -> impl Strategy<Value = Usage> {
    let counters = (tokens(), tokens(), tokens(), tokens(), option::of(tokens()));
    counters.prop_map(|(input, output, read, written, thinking)| {
        let usage = Usage::input(input).output(output);
        let usage = usage.cache_read(read).cache_creation(written);
        thinking.map_or(usage.clone(), |tokens| usage.thinking(tokens))
    })
}

/// A usage with what only OpenAI counts.
pub(super) fn details() -> impl Strategy<Value = Usage> {
    let details = (tokens(), tokens(), tokens(), tokens());
    (common_usage(), details).prop_map(|(usage, (heard, spoken, accepted, rejected))| {
        let usage = usage.input_audio(heard).output_audio(spoken);
        usage
            .accepted_prediction(accepted)
            .rejected_prediction(rejected)
    })
}
