//! Turn to events, and to the non-streaming body.

use crate::{
    api::{Context, WireEvent},
    script::{Reply, Turn},
};

pub(crate) struct Events;

impl Events {
    pub(crate) fn new(_turn: &Turn, _context: &Context) -> Result<Self, String> {
        Err("not yet".to_owned())
    }
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        None
    }
}

pub(crate) fn body(_turn: &Turn, _context: &Context) -> Result<Vec<u8>, String> {
    Err("not yet".to_owned())
}

pub(crate) fn normalized(_turn: &Turn, _context: &Context) -> Result<Reply, String> {
    Err("not yet".to_owned())
}
