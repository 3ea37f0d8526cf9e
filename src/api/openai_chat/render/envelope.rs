//! What stands around the choices: ids, model, tier, fingerprint.

use crate::{
    api::{
        Context, Ids,
        openai_chat::{
            dialect::{self, NoLogprobs, Tier, row},
            purpose,
        },
    },
    script::{Extras, Message},
};

/// What is the same in every chunk.
pub(in crate::api::openai_chat) struct Envelope {
    pub(in crate::api::openai_chat) id: String,
    pub(in crate::api::openai_chat) model: String,
    pub(super) service_tier: Option<String>,
    pub(super) fingerprint: Option<String>,
    /// Whether choices have the member `logprobs` where none were asked for.
    pub(super) says_no_logprobs: bool,
}

impl Envelope {
    pub(in crate::api::openai_chat) fn new(
        message: &Message,
        extras: &Extras,
        context: &Context,
    ) -> Self {
        let row = row(context.dialect);
        let made = dialect::made(row.id, &mut Ids::new(context.seed, purpose::MESSAGE), 0);
        let model = message.model.as_ref().unwrap_or(&context.model);
        let model = match model.as_str() {
            "" => row.model,
            model => model,
        };
        let family = match row.tier {
            Tier::ByModel => Family::of(model),
            Tier::Always(_) | Tier::IfScripted | Tier::Never => Family::Fingerprinted,
        };
        let fingerprint = row
            .fingerprint
            .map(|form| dialect::made(form, &mut Ids::new(context.seed, purpose::FINGERPRINT), 0));
        let tier = match row.tier {
            Tier::ByModel if family != Family::Search => Some("default"),
            Tier::Always(tier) => Some(tier),
            Tier::ByModel | Tier::IfScripted | Tier::Never => None,
        };
        let scripted = extras.service_tier.clone();
        Self {
            id: extras.id.clone().unwrap_or(made),
            model: model.to_owned(),
            service_tier: scripted
                .or_else(|| tier.filter(|_| !extras.is_recorded).map(str::to_owned)),
            fingerprint: fingerprint.filter(|_| family == Family::Fingerprinted),
            says_no_logprobs: row.no_logprobs == NoLogprobs::Null
                || matches!(family, Family::Older | Family::Fingerprinted),
        }
    }
}

/// What differs between models of OpenAI, as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// No `logprobs`, no fingerprint.
    Gpt5,
    /// No `logprobs`, no tier, no fingerprint.
    Search,
    /// No fingerprint.
    Older,
    Fingerprinted,
}

impl Family {
    fn of(model: &str) -> Self {
        if model.contains("-search") {
            Self::Search
        } else if model.starts_with("gpt-5") {
            Self::Gpt5
        } else if model.starts_with("gpt-3.5") || model.starts_with("gpt-4-") || model == "gpt-4" {
            Self::Older
        } else {
            Self::Fingerprinted
        }
    }
}
