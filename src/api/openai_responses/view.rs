//! The request in neutral words.

use crate::request::View;

pub(crate) fn view(_body: &[u8]) -> View {
    View::default()
}
