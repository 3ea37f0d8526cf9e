//! What an answer says besides its parts, its stop reason and its usage.

use std::collections::BTreeMap;

use super::Checked;
use crate::{
    api::accumulate::Members,
    script::{Container, Extras, Json, StopDetails},
};

/// What stands beside and in the usage of a message, or of its end.
pub(super) fn of_message(message: Members<'_>, path: &str, extras: &mut Extras) -> Checked<()> {
    if let Some(usage) = message.object_or_null("usage")? {
        let path = format!("{path}usage.");
        let usage = Members::new(&path, usage);
        if let Some(tier) = usage.string_or_null("service_tier")? {
            extras.service_tier = Some(tier.to_owned());
        }
        if let Some(geo) = usage.string_or_null("inference_geo")? {
            extras.inference_geo = Some(geo.to_owned());
        }
    }
    if let Some(applied) = message.get("context_management") {
        extras.context_management = Some(Json::read(applied.clone()));
    }
    Ok(())
}

/// What stands beside the stop reason.
pub(super) fn of_stop(stop: Members<'_>, path: &str, extras: &mut Extras) -> Checked<()> {
    if let Some(details) = stop.object_or_null("stop_details")? {
        let path = format!("{path}stop_details.");
        let members = Members::new(&path, details);
        let text = |name: &str| -> Checked<Option<String>> {
            Ok(members.string_or_null(name)?.map(str::to_owned))
        };
        let known = |name: &str| matches!(name, "type" | "category" | "explanation");
        let others = details.iter().filter(|(name, _)| !known(name));
        let mut kept = BTreeMap::new();
        for (name, value) in others {
            kept.insert(name.clone(), Json::read(value.clone()));
        }
        extras.stop_details = Some(StopDetails {
            category: text("category")?,
            explanation: text("explanation")?,
            others: kept,
        });
    }
    if let Some(container) = stop.object_or_null("container")? {
        let path = format!("{path}container.");
        let container = Members::new(&path, container);
        let id = container.string("id")?;
        let expires_at = container.string_or_null("expires_at")?;
        extras.container = Some(Container::new(id).expires_at(expires_at.unwrap_or_default()));
    }
    Ok(())
}
