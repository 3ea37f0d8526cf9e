//! The gates that fixtures name: every stub has its own.

use std::sync::Arc;

use super::{shared::Config, stub::StubHandle};
use crate::{
    plan::Unplayable,
    script::{Gate, GateLatch, Turn, nearest},
    small_map::SmallMap,
};

/// Gates by their names.
pub(super) type Gates = SmallMap<Arc<str>, Gate>;

impl Config {
    /// Puts gates of this stub in the place of those that its script names; one name is one gate.
    pub(super) fn own_gates(&mut self) {
        let gates = &mut self.gates;
        self.script.change_gates(|gate| {
            let name = gate.name()?;
            if gates.get(&name).is_none() {
                gates.insert(Arc::clone(&name), Gate::of(gate.renewed()));
            }
            gates.get(&name).map(|gate| gate.latch().clone())
        });
    }

    /// Closes those that were opened: the script starts anew.
    pub(super) fn close_gates(&self) {
        self.gates.iter().for_each(|(_, gate)| gate.latch().close());
    }

    /// # Errors
    ///
    /// If the turn, which a closure gave, names a gate that is none of this stub's: nobody could open it.
    pub(super) fn check_gates(&self, turn: &Turn) -> Result<(), Unplayable> {
        let own = |gate: &GateLatch| self.gates.iter().any(|(_, own)| own.latch().is_same(gate));
        let name = turn
            .gates()
            .filter(|gate| !own(gate))
            .find_map(GateLatch::name);
        match name {
            None => Ok(()),
            Some(name) => Err(Unplayable(format!(
                "nobody can open the gate `{name}`: a closure gave this turn of a fixture\n  \
                 help: give the stub the whole script with `.script(..)`"
            ))),
        }
    }
}

impl StubHandle {
    /// The gate of this name, which a turn of a [fixture](crate::Script::from_file) has.
    ///
    #[cfg_attr(feature = "fixture", doc = "```")]
    #[cfg_attr(not(feature = "fixture"), doc = "```ignore")]
    /// use llm_wire_stub::{Script, WireStub};
    ///
    /// let script: Script = r#"{
    ///     "format_version": 1,
    ///     "turns": [{
    ///         "parts": [{"text": "two words"}],
    ///         "actions": [{"gate": {"after": {"deltas": 1}, "name": "between"}}]
    ///     }]
    /// }"#.parse().unwrap();
    /// let stub = WireStub::builder().script(script).without_verify_on_drop().start();
    /// // your client asks; `stub.gate("between").reached().await;`
    /// stub.gate("between").open();
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if no turn of the script has a gate of this name.
    #[track_caller]
    pub fn gate(&self, name: &str) -> &Gate {
        match self.runs.config.gate(name) {
            Ok(gate) => gate,
            Err(why) => panic!("{why}"),
        }
    }
}

impl Config {
    /// The gate of this name.
    ///
    /// # Errors
    ///
    /// That there is none.
    pub(super) fn gate(&self, name: &str) -> Result<&Gate, String> {
        let gates = &self.gates;
        if let Some(gate) = gates.get(name) {
            return Ok(gate);
        }
        let names: Vec<&str> = gates.iter().map(|(name, _)| name.as_ref()).collect();
        let near = nearest(name, &names).map(|near| format!(", nearest to `{near}`"));
        let help = match names.as_slice() {
            [] => {
                "gates have names in fixtures; one that is made with `Gate::new()` is opened itself"
                    .to_owned()
            }
            names => format!("it has `{}`", names.join("`, `")),
        };
        Err(format!(
            "there is no gate `{name}`{}\n  where: {}\n  help: {help}",
            near.unwrap_or_default(),
            self.script.description()
        ))
    }
}
