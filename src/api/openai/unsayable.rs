//! What an answer cannot carry, and the way out.

use crate::script::Extras;

/// That this cannot be said by an API, or a vendor's form of it, of this name.
pub(crate) fn unsayable(name: &str, what: &str, help: &str) -> String {
    format!("{name} cannot say {what}\n  help: {help}")
}

/// That answers have no forms of other months.
pub(crate) fn no_era(name: &str) -> String {
    format!("on {name} answers are written as today only\n  help: leave out `.era(..)`")
}

/// That the usage has no member for this.
pub(crate) fn uncounted(name: &str, what: &str) -> String {
    format!("the usage of {name} cannot say {what}\n  help: leave it out of the usage")
}

/// That nothing stands around the answer that this has no member for; `carried` are those that it has.
pub(crate) fn check_extras(extras: &Extras, name: &str, carried: &[&str]) -> Result<(), String> {
    for (said, what) in [
        (extras.usage_at_start.is_some(), "usage_at_start"),
        (extras.stop_details.is_some(), "stop_details"),
        (extras.container.is_some(), "container"),
        (extras.context_management.is_some(), "context_management"),
        (extras.inference_geo.is_some(), "inference_geo"),
        (extras.moderation.is_some(), "moderation"),
        (extras.service_tier.is_some(), "service_tier"),
    ] {
        if said && !carried.contains(&what) {
            return Err(format!(
                "an answer of {name} has no `{what}`\n  help: leave it out of the turn"
            ));
        }
    }
    Ok(())
}
