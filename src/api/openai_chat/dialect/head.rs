//! Response headers of a row, in the vendor's own spelling. Their order is not known, and their values are made up.

use super::{Filled, Slot, Template, id, row};
use crate::{
    api::{Context, Form, Head, Ids, openai, openai_chat::purpose},
    script::Dialect,
};

/// The headers of a vendor.
#[derive(Debug)]
pub(super) struct HeadRow {
    /// The content types.
    pub(super) stream: &'static str,
    pub(super) json: &'static str,
    /// Also in a plain answer.
    pub(super) always: &'static [(&'static str, &'static str)],
    pub(super) noise: &'static [(&'static str, &'static str)],
}

/// Status and headers of an answer that succeeds.
pub(crate) fn head(form: Form, context: &Context) -> Head {
    let Some(headers) = &row(context.dialect).head else {
        return openai::head(form, context);
    };
    let content_type = match form {
        Form::Stream => headers.stream,
        Form::Json => headers.json,
    };
    headers.written(200, content_type, context)
}

impl HeadRow {
    /// A head with these headers.
    pub(super) fn written(
        &self,
        status: u16,
        content_type: &'static str,
        context: &Context,
    ) -> Head {
        let mut head = Head {
            status,
            headers: Vec::with_capacity(16),
        };
        head.push("Date", "Wed, 19 Aug 2026 14:34:12 GMT");
        head.push("Content-Type", content_type);
        let mut ids = Ids::new(context.seed, purpose::HEAD);
        for (name, value) in self.always {
            head.push(
                *name,
                filled(value, context.dialect, context.seed, &mut ids),
            );
        }
        if !context.plain {
            for (name, value) in self.noise {
                head.push(*name, *value);
            }
        }
        head
    }
}

/// A header's value with its ids filled in.
fn filled(value: &'static str, dialect: Dialect, seed: u64, ids: &mut Ids) -> String {
    let mut out = Vec::new();
    let mut fill = |slot: Slot, out: &mut Vec<u8>| {
        let made = if slot == Slot::Id {
            // that of the answer, unless its turn names another
            id::made(row(dialect).id, &mut Ids::new(seed, purpose::MESSAGE), 0)
        } else if slot == Slot::RequestId {
            request_id(seed)
        } else if slot == Slot::Uuid {
            id::uuid(ids)
        } else {
            ids.hex("", 32)
        };
        out.extend_from_slice(made.as_bytes());
        Filled::Yes
    };
    Template::new(value).write(&mut out, &mut fill);
    String::from_utf8(out).unwrap_or_default()
}

/// Groq's `req_` and 26 characters, the same in headers and chunks.
pub(in crate::api::openai_chat) fn request_id(seed: u64) -> String {
    Ids::new(seed, purpose::REQUEST).base36("req_01", 24)
}
