//! Changes to a JSON text that leave the rest of it as it was spelled.

/// A member put first into every object of the text, but for those inside a member of this name. Nothing is looked at
/// but quotes and braces, so that a text that is no JSON comes to no harm.
pub(super) fn in_every_object(text: &[u8], member: &str, except: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + member.len());
    let except = format!("\"{except}\":");
    let (mut in_string, mut escaped, mut depth) = (false, false, 0_usize);
    // how deep the object is that is left as it is
    let mut left = None;
    for (at, byte) in text.iter().enumerate() {
        let is_excepted = out.trim_ascii_end().ends_with(except.as_bytes());
        out.push(*byte);
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => {
                depth += 1;
                if left.is_none() && is_excepted {
                    left = Some(depth);
                }
                if left.is_none() {
                    out.extend_from_slice(member.as_bytes());
                    if text.get(at + 1) != Some(&b'}') {
                        out.push(b',');
                    }
                }
            }
            b'}' if !in_string => {
                left = left.filter(|left| *left != depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_goes_into_every_object_but_those_that_are_content() {
        let text = br#"{"a":[{},{"input":{"b":{}},"c":"{\"{"}], "input": 1,"d":{"e":2} }"#;
        let changed = in_every_object(text, r#""x":0"#, "input");
        assert_eq!(
            String::from_utf8(changed).unwrap(),
            r#"{"x":0,"a":[{"x":0},{"x":0,"input":{"b":{}},"c":"{\"{"}], "input": 1,"d":{"x":0,"e":2} }"#
        );
    }
}
