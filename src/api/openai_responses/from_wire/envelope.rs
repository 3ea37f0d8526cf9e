//! What stands around the recorded items: the response object.

use super::{Item, word};
use crate::{
    api::openai_responses::echo,
    json_slices::member,
    script::{Json, Reply, StopReason, Turn},
};

/// What was recorded of the response.
pub(super) struct Envelope {
    id: Option<String>,
    model: Option<String>,
    tier: Option<String>,
    moderation: Option<Json>,
    repeated: Vec<(String, Json)>,
    /// Whether it began to refuse.
    refuses: bool,
    /// Why it stopped and what it cost, if it came to its end.
    end: Option<Reply>,
}

impl Envelope {
    /// That of a stream: as it begins, and as it ends.
    pub(super) fn of_stream<'a>(
        data: impl Iterator<Item = &'a str>,
        reply: Option<&Reply>,
    ) -> Self {
        let mut refuses = false;
        let mut responses = data.filter_map(|data| {
            refuses |= word(data, "type").as_deref() == Some("response.refusal.delta");
            member(data, "response")
        });
        let first = responses.next().unwrap_or_default();
        let last = responses.last().unwrap_or(first);
        Self {
            refuses,
            ..Self::new(first, last, echo::recorded(first), reply)
        }
    }

    /// That of a body, which says at which tier it was made, and not which one was asked for.
    pub(super) fn of_body(body: &str, reply: &Reply) -> Self {
        let mut repeated = echo::recorded(body);
        repeated.retain(|(name, _)| name != "service_tier");
        Self::new(body, body, repeated, Some(reply))
    }

    fn new(first: &str, last: &str, repeated: Vec<(String, Json)>, reply: Option<&Reply>) -> Self {
        let moderation = member(last, "moderation").filter(|found| found.starts_with('{'));
        Self {
            id: word(first, "id"),
            model: word(first, "model"),
            tier: word(last, "service_tier"),
            moderation: moderation.map(|found| Json::spelled(&echo::respelled(found))),
            repeated,
            refuses: false,
            end: reply.cloned(),
        }
    }

    /// A turn with nothing but this, and the ids of these items.
    pub(super) fn turn<'a>(&self, items: impl Iterator<Item = &'a Item>) -> Turn {
        let mut turn = Turn::new();
        let message = turn.message();
        message.model.clone_from(&self.model);
        if let Some(end) = &self.end {
            message.stop_reason = Some(end.stop_reason.clone());
            message.usage = Some(end.usage.clone());
        } else if self.refuses {
            message.stop_reason = Some(StopReason::Refusal);
        }
        let extras = turn.extras();
        extras.is_recorded = true;
        extras.id.clone_from(&self.id);
        extras.service_tier.clone_from(&self.tier);
        extras.moderation.clone_from(&self.moderation);
        extras.repeated.clone_from(&self.repeated);
        extras.item_ids = items.filter_map(Item::id).collect();
        turn
    }
}
