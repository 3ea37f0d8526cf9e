//! The servers, behind one door: start with a script, ask for the address, drop to stop.

pub mod gated;
mod httpmock;
mod hyper;
mod mockito;
pub mod ours;
mod wiremock;

use crate::load;
use futures_util::future::LocalBoxFuture;

pub use self::hyper::{Bare, Hyper};
pub use self::ours::Ours;

pub trait Peer {
    /// The column of its figures.
    fn name(&self) -> &'static str;

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>>;
}

/// A running server. It stops when it is dropped.
pub trait Server {
    fn url(&self) -> String;
}

#[derive(Clone, Copy, Debug)]
pub enum Script<'a> {
    /// No answer at all: the server is started for its own sake.
    Nothing,
    /// The whole reply, to every request.
    Reply(&'a load::Reply),
    /// The events of the reply, to every request.
    Stream(&'a load::Stream),
}

/// Everyone who can answer a small exchange, ours first.
pub fn all() -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(Ours::Default),
        Box::new(Bare::Same),
        Box::new(wiremock::Wiremock::Pooled),
        Box::new(wiremock::Wiremock::Unpooled),
        Box::new(httpmock::Httpmock),
        Box::new(mockito::Mockito),
    ]
}

/// Everyone who can stream ready events, ours first.
pub fn streaming() -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(Ours::Default),
        Box::new(Bare::Same),
        Box::new(mockito::Mockito),
    ]
}

/// Ours, and the bar that it is held to.
pub fn with_bar() -> Vec<Box<dyn Peer>> {
    vec![Box::new(Ours::Default), Box::new(Bare::Same)]
}

pub fn named(name: &str) -> Box<dyn Peer> {
    let mut peers = all();
    peers.push(Box::new(Bare::Shortest));
    let peer = peers.into_iter().find(|peer| peer.name() == name);
    peer.unwrap_or_else(|| panic!("no peer is called {name:?}"))
}
