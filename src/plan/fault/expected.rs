//! What a client reads of an answer with faults that it bears, where that is not what the turn says.

use crate::{
    api::Api,
    script::{Dialect, Fault, FaultVariant, Keeps, Part, Reply, StopReason, Usage},
};

/// Takes from what is read of the turn what the fault keeps from a client, and adds what it adds.
pub(crate) fn expect(reply: &mut Reply, fault: &FaultVariant, api: Api, dialect: Dialect) {
    if (fault.fault(), fault.name()) == (Fault::UnknownStopReason, "incomplete-details") {
        reply.stop_reason = StopReason::Other("x_new".to_owned());
    }
    match fault.keeps() {
        Keeps::Everything => {}
        Keeps::EverythingAndMore => {
            let is_thinking = |part: &Part| matches!(part, Part::Thinking { .. });
            let behind = reply
                .parts
                .iter()
                .take_while(|part| is_thinking(part))
                .count();
            let more = Part::Unknown {
                block: serde_json::json!({"type": "x_new", "x_new": "?"}),
                deltas: Vec::new(),
            };
            reply.parts.insert(behind, more);
        }
        Keeps::AllButUsage => {
            let searches = reply.usage.web_search_requests;
            reply.usage = Usage::default();
            match api {
                Api::AnthropicMessages => forget_tier(reply),
                // they are counted elsewhere
                Api::OpenAiResponses => reply.usage.web_search_requests = searches,
                Api::OpenAiChat if dialect == Dialect::Mistral => reply.service_tier = None,
                Api::OpenAiChat | Api::OpenAiCompletions => {}
            }
        }
        Keeps::AllButCache => {
            let usage = &mut reply.usage;
            let cached = usage.cache_read_tokens + usage.cache_creation_tokens;
            match api {
                Api::AnthropicMessages => {}
                // what the cache had is a part of what the prompt cost
                Api::OpenAiChat | Api::OpenAiResponses | Api::OpenAiCompletions => {
                    usage.input_tokens += cached;
                    usage.input_audio_tokens = 0;
                }
            }
            (usage.cache_read_tokens, usage.cache_creation_tokens) = (0, 0);
        }
        Keeps::AllButTier => forget_tier(reply),
        Keeps::AllButId => reply.id.clear(),
        Keeps::AllButModel => reply.model.clear(),
    }
}

/// The usage of an answer of Anthropic Messages says both.
fn forget_tier(reply: &mut Reply) {
    (reply.service_tier, reply.inference_geo) = (None, None);
}
