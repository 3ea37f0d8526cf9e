//! A turn as this API says it, and what is read back from it.

use super::{Block, blocks::Blocks};
use crate::{
    api::{
        Context, Ids,
        anthropic_messages::{DEFAULT_MODEL, era::Envelope, purpose, stop_reason, stop_word},
    },
    script::{CallOrder, Extras, Lacks, Message, Part, Reply, Turn, Usage},
};

/// A turn as this API says it: adjacent text merged, ids filled in.
pub(super) struct Said {
    pub(super) model: String,
    pub(super) id: String,
    pub(super) blocks: Vec<Block>,
    /// The stop reason's word, and the stop sequence.
    pub(super) stop: (String, Option<String>),
    pub(super) usage: Usage,
    pub(super) envelope: &'static Envelope,
    /// With the stop details of every refusal; nothing in most answers.
    pub(super) extras: Option<Box<Extras>>,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = turn.said()?;
        if message.call_order == CallOrder::Interleaved {
            return Err("tool calls cannot be interleaved here: the blocks of an answer come one after the other\n  \
                        help: leave out `.interleaved_tool_calls()`"
                .to_owned());
        }
        let (word, sequence) = {
            let reason = message.effective_stop_reason();
            let (word, sequence) = stop_word(&reason);
            (word.to_owned(), sequence.map(str::to_owned))
        };
        let envelope = Envelope::at(context.era);
        let mut extras = message.extras.clone();
        let usage = usage(message, envelope)?;
        let start = extras
            .as_ref()
            .and_then(|extras| extras.usage_at_start.as_ref());
        let passes = usage.iterations.iter().map(|pass| &pass.usage);
        [&usage]
            .into_iter()
            .chain(passes)
            .chain(start)
            .try_for_each(check_details)?;
        if let Some(extras) = &extras {
            check_extras(extras, envelope)?;
            check_start(extras, &usage, envelope)?;
        }
        let is_recorded = extras.as_ref().is_some_and(|extras| extras.is_recorded);
        if word == "refusal" && envelope.stop_details && !is_recorded {
            let extras = extras.get_or_insert_default();
            extras.stop_details.get_or_insert_default();
        }
        let model = message.model.as_ref().unwrap_or(&context.model);
        Ok(Self {
            model: if model.is_empty() {
                DEFAULT_MODEL
            } else {
                model
            }
            .to_owned(),
            id: match extras.as_mut().and_then(|extras| extras.id.take()) {
                Some(id) => id,
                None => Ids::new(context.seed, purpose::MESSAGE).base58("msg_011C", 20),
            },
            blocks: Blocks::new(context).all(message)?,
            stop: (word, sequence),
            usage,
            envelope,
            extras,
        })
    }

    /// At which tier the answer was made, where the era says it.
    pub(super) fn service_tier(&self) -> Option<&str> {
        let tier = self.given(|extras| extras.service_tier.as_deref(), "standard");
        tier.filter(|_| self.envelope.service_tier)
    }

    /// Where the answer was made, where the era says it.
    pub(super) fn inference_geo(&self) -> Option<&str> {
        let geo = self.given(|extras| extras.inference_geo.as_deref(), "not_available");
        geo.filter(|_| self.envelope.inference_geo)
    }

    /// What is given, or what nearly every answer has; nothing more than was recorded.
    fn given<'a>(
        &'a self,
        given: fn(&'a Extras) -> Option<&'a str>,
        usual: &'a str,
    ) -> Option<&'a str> {
        match self.extras.as_deref() {
            Some(extras) if extras.is_recorded => given(extras),
            extras => Some(extras.and_then(given).unwrap_or(usual)),
        }
    }

    /// What the recording lacks that is said here.
    pub(super) fn lacks(&self) -> Lacks {
        let extras = self.extras.as_deref();
        extras.map(|extras| extras.lacks).unwrap_or_default()
    }
}

/// The usage of the answer, as far as its era can say it.
fn usage(message: &Message, envelope: &Envelope) -> Result<Usage, String> {
    let mut usage = message.effective_usage();
    if !envelope.details {
        // only what was said is written
        let said = message.usage.as_ref();
        usage.thinking_tokens = said.and_then(|said| said.thinking_tokens);
        usage.web_fetch_requests = said.and_then(|said| said.web_fetch_requests);
    } else if usage.web_search_requests.is_some() || usage.web_fetch_requests.is_some() {
        // as recorded, and as the service's SDKs have it: one is not there without the other
        usage.web_search_requests.get_or_insert(0);
        usage.web_fetch_requests.get_or_insert(0);
    }
    for (has, tokens, what) in [
        (
            envelope.cache_counters,
            usage.cache_read_tokens,
            "cache_read_input_tokens",
        ),
        (
            envelope.cache_counters,
            usage.cache_creation_tokens,
            "cache_creation_input_tokens",
        ),
        (
            envelope.cache_creation,
            usage.cache_creation_1h_tokens,
            "ephemeral_1h_input_tokens",
        ),
    ] {
        if !has && tokens > 0 {
            return Err(format!(
                "an answer of this era has no `{what}`\n  found: `{tokens}` tokens\n  \
                 help: leave them out of the usage, or choose a later era"
            ));
        }
    }
    Ok(usage)
}

/// What only the usage of other APIs has.
fn check_details(usage: &Usage) -> Result<(), String> {
    for (tokens, what) in usage.audio_and_predictions() {
        if tokens > 0 {
            return Err(format!(
                "the usage of Anthropic Messages cannot say {what}\n  help: leave it out of the usage"
            ));
        }
    }
    Ok(())
}

/// What is said has to have its place in the envelope.
fn check_extras(extras: &Extras, envelope: &Envelope) -> Result<(), String> {
    if extras.moderation.is_some() {
        return Err(
            "an answer of Anthropic Messages has no `moderation`\n  help: leave it out of the turn"
                .to_owned(),
        );
    }
    for (has, said, what) in [
        (
            envelope.stop_details,
            extras.stop_details.is_some(),
            "stop_details",
        ),
        (
            envelope.service_tier,
            extras.service_tier.is_some(),
            "service_tier",
        ),
        (
            envelope.inference_geo,
            extras.inference_geo.is_some(),
            "inference_geo",
        ),
    ] {
        if said && !has {
            return Err(format!(
                "an answer of this era has no `{what}`\n  \
                 help: leave it out of the turn, or choose a later era"
            ));
        }
    }
    Ok(())
}

/// Where the end of a stream does not repeat the prompt, what its start says of it is the last word.
fn check_start(extras: &Extras, usage: &Usage, envelope: &Envelope) -> Result<(), String> {
    let prompt = |usage: &Usage| {
        let Usage {
            input_tokens,
            cache_read_tokens,
            cache_creation_tokens,
            ..
        } = usage;
        (*input_tokens, *cache_read_tokens, *cache_creation_tokens)
    };
    match &extras.usage_at_start {
        Some(start) if !envelope.delta_counters && prompt(start) != prompt(usage) => Err(
            "in this era a stream says only at its start what the prompt cost\n  \
             help: give the same prompt in `.usage(..)` and `.usage_at_start(..)`, or choose a later era"
                .to_owned(),
        ),
        Some(_) | None => Ok(()),
    }
}

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let service_tier = said.service_tier().map(str::to_owned);
    let inference_geo = said.inference_geo().map(str::to_owned);
    let parts: Result<Vec<Part>, String> = said.blocks.into_iter().map(Block::into_part).collect();
    let (word, sequence) = said.stop;
    let reason = stop_reason(&word, sequence.as_deref());
    let mut reply = Reply::new(said.id, said.model, parts?, reason, said.usage);
    let extras = said.extras.unwrap_or_default();
    reply.stop_details = extras.stop_details;
    reply.container = extras.container;
    let applied = extras.context_management;
    reply.context_management = applied.filter(|applied| !applied.to_value().is_null());
    (reply.service_tier, reply.inference_geo) = (service_tier, inference_geo);
    Ok(reply)
}
