//! The faults known by name: what each is, whom it applies to, and what it asks of a client. Pure data; `plan::fault`
//! does the damage.
//!
//! | file | holds |
//! | --- | --- |
//! | `catalogue.rs` | [`Fault`]: every kind, and the row that describes it |
//! | `framing.rs`, `size.rs`, `protocol.rs`, `chunks.rs`, `tool_calls.rs`, `truncation.rs`, `http.rs`, `errors.rs`, `order.rs` | these rows |
//! | `kind.rs` | what a row says |

mod catalogue;
mod chunks;
mod errors;
mod framing;
mod http;
mod kind;
mod order;
mod protocol;
mod size;
mod tool_calls;
mod truncation;

use std::{fmt, str::FromStr, time::Duration};

pub use catalogue::Fault;
pub(crate) use kind::{Keeps, Kind, Needs, Variant};
pub use kind::{Requirement, Stage};

use crate::api::Api;

impl Fault {
    /// The stable name of this kind in the catalogue.
    ///
    /// ```
    /// assert_eq!(llm_wire_stub::Fault::EofBeforeTerminal.id(), "eof-before-terminal");
    /// ```
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.kind().id
    }

    /// What of an answer it acts on; a few of its variants act on something else.
    #[must_use]
    pub const fn stage(self) -> Stage {
        self.kind().stage
    }

    /// What a correct client does with it.
    #[must_use]
    pub const fn requirement(self) -> Requirement {
        self.kind().asks
    }

    /// The second outcome that is no silent loss either, if there is one.
    #[must_use]
    pub const fn also_accepted(self) -> Option<Requirement> {
        self.kind().also
    }

    /// Whether this API's answers can have it. Legacy completions, which no public report is about, have those that act
    /// on bytes, transport and HTTP.
    #[must_use]
    pub fn applies_to(self, api: Api) -> bool {
        self.variants().any(|variant| variant.applies_to(api))
    }

    /// Its variants; the first is what the kind alone stands for.
    pub fn variants(self) -> impl Iterator<Item = FaultVariant> {
        let variants = self.kind().variants.iter();
        variants.map(move |variant| FaultVariant::new(self, variant))
    }

    /// One of its variants.
    ///
    /// ```
    /// use llm_wire_stub::Fault;
    ///
    /// let fault = Fault::SplitUtf8Scalar.variant("after-each-byte");
    /// assert_eq!(fault.id(), "split-utf8-scalar/after-each-byte");
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if it has none of this name.
    #[must_use]
    #[track_caller]
    pub fn variant(self, name: &str) -> FaultVariant {
        match self.find(name) {
            Ok(variant) => variant,
            Err(unknown) => panic!("{unknown}"),
        }
    }

    fn find(self, name: &str) -> Result<FaultVariant, UnknownFaultError> {
        let mut variants = self.variants();
        let found = variants.find(|variant| variant.variant.name == name);
        found.ok_or_else(|| UnknownFaultError {
            given: format!("{}/{name}", self.id()),
            known: self.variants().map(|variant| variant.id()).collect(),
        })
    }
}

/// A named damage and which form of it. A [`Fault`] converts into its first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FaultVariant {
    fault: Fault,
    variant: &'static Variant,
    every: Duration,
}

impl FaultVariant {
    const fn new(fault: Fault, variant: &'static Variant) -> Self {
        Self {
            fault,
            variant,
            every: Duration::from_millis(20),
        }
    }

    /// Sets the time between what a fault writes again and again, or slowly, or before what it holds back; 20 ms if it
    /// is not said. A variant that looks at it says so.
    #[must_use]
    pub const fn every(mut self, time: Duration) -> Self {
        self.every = time;
        self
    }

    /// `kind/variant`. It can be parsed.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}/{}", self.fault.id(), self.variant.name)
    }

    /// Its kind.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.fault
    }

    /// What of an answer it acts on: what the kind does, but for the few where that differs.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        match self.variant.stage {
            Some(stage) => stage,
            None => self.fault.stage(),
        }
    }

    /// Which bytes it changes.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.variant.what
    }

    /// What a correct client does with this variant: what the kind asks, but for the few where that differs.
    #[must_use]
    pub const fn requirement(&self) -> Requirement {
        match self.variant.asks {
            Some((asks, _)) => asks,
            None => self.fault.requirement(),
        }
    }

    /// The second outcome that is no silent loss either, if there is one.
    #[must_use]
    pub const fn also_accepted(&self) -> Option<Requirement> {
        match self.variant.asks {
            Some((_, also)) => also,
            None => self.fault.also_accepted(),
        }
    }

    /// Whether this API's answers can have it.
    #[must_use]
    pub fn applies_to(&self, api: Api) -> bool {
        let of = match self.variant.of {
            Some(of) => of,
            None => self.fault.kind().of,
        };
        // no tool is called there, and nothing is thought
        let has_it = api != Api::OpenAiCompletions || self.needs() == Needs::Text;
        has_it && of.contains(api, self.stage())
    }

    pub(crate) const fn name(&self) -> &'static str {
        self.variant.name
    }

    pub(crate) const fn keeps(&self) -> Keeps {
        self.variant.keeps
    }

    pub(crate) const fn needs(&self) -> Needs {
        self.variant.needs
    }

    /// Whether the answer is much longer with it.
    pub(crate) const fn makes_it_large(&self) -> bool {
        matches!(
            self.fault,
            Fault::LargeEvent | Fault::TinyFragments | Fault::ManyTinyEvents
        )
    }

    /// Whether it is about where writes end.
    pub(crate) fn cuts(&self) -> bool {
        let whole_kind = matches!(
            self.fault,
            Fault::SplitAnyByte
                | Fault::SplitUtf8Scalar
                | Fault::SplitCrlf
                | Fault::TinyFragments
                | Fault::ManyTinyEvents
                | Fault::GzipStream
                | Fault::BufferedBurst
        );
        whole_kind || (self.fault == Fault::BomLeading && self.name() == "cut")
    }

    pub(crate) const fn time(&self) -> Duration {
        self.every
    }
}

impl From<Fault> for FaultVariant {
    fn from(fault: Fault) -> Self {
        // every kind has a variant: a test walks them
        Self::new(fault, fault.kind().variants.first().unwrap_or(&kind::ONLY))
    }
}

/// The id, without the variant if it is the kind's first.
impl fmt::Debug for FaultVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The id, without the variant if it is the kind's first.
impl fmt::Display for FaultVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.id())?;
        if Some(self.variant) == self.fault.kind().variants.first() {
            return Ok(());
        }
        write!(f, "/{}", self.variant.name)
    }
}

impl FromStr for FaultVariant {
    type Err = UnknownFaultError;

    /// `kind`, or `kind/variant`.
    fn from_str(id: &str) -> Result<Self, UnknownFaultError> {
        let (kind, variant) = match id.split_once('/') {
            Some((kind, variant)) => (kind, Some(variant)),
            None => (id, None),
        };
        let mut kinds = Fault::ALL.iter().copied();
        match (kinds.find(|fault| fault.id() == kind), variant) {
            (Some(fault), Some(variant)) => fault.find(variant),
            (Some(fault), None) => Ok(fault.into()),
            (None, _) => Err(UnknownFaultError {
                given: id.to_owned(),
                known: Fault::ALL
                    .iter()
                    .map(|fault| fault.id().to_owned())
                    .collect(),
            }),
        }
    }
}

/// No fault has this id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFaultError {
    given: String,
    known: Vec<String>,
}

impl UnknownFaultError {
    /// What was given, and what there is.
    pub(crate) fn parts(&self) -> (&str, &[String]) {
        (&self.given, &self.known)
    }
}

impl fmt::Display for UnknownFaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no fault is called `{}`\n  help: one of {}",
            self.given,
            self.known.join(", ")
        )
    }
}

impl std::error::Error for UnknownFaultError {}
