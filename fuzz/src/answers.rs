//! The answers on one connection, measured: a second reader of HTTP/1.1, of what the stub writes.

/// How many bytes each answer has. `are_to_head` says of each whether it has no body, since it answers `HEAD`. Answers
/// that only say to go on are not counted.
pub fn lengths(mut read: &[u8], are_to_head: impl IntoIterator<Item = bool>) -> Vec<u64> {
    let mut are_to_head = are_to_head.into_iter();
    let mut lengths = Vec::new();
    while !read.is_empty() {
        const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
        if let Some(rest) = read.strip_prefix(GO_ON) {
            read = rest;
            continue;
        }
        let end = read
            .windows(4)
            .position(|end| end == b"\r\n\r\n")
            .expect("a whole head")
            + 4;
        let head = std::str::from_utf8(&read[..end]).expect("a head is text");
        let status = head.strip_prefix("HTTP/1.1 ").expect("HTTP/1.1");
        let has_body =
            !are_to_head.next().expect("an answer for each request") && !status.starts_with("204");
        let says = |header: &str| head.contains(&format!("\r\n{header}: "));
        let length = match has_body {
            false => end,
            true if says("Transfer-Encoding") => end + chunks(&read[end..]),
            // only ever the last one: the connection is closed behind it
            true => read.len(),
        };
        lengths.push(length as u64);
        read = &read[length..];
    }
    assert_eq!(are_to_head.next(), None, "a request without an answer");
    lengths
}

/// How many bytes a chunked body has.
fn chunks(body: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let line = body[at..]
            .windows(2)
            .position(|end| end == b"\r\n")
            .expect("a line with a size");
        let size = std::str::from_utf8(&body[at..at + line]).expect("a size is text");
        let size = usize::from_str_radix(size, 16).expect("a size is a number");
        at += line + 2 + size;
        assert_eq!(&body[at..at + 2], b"\r\n", "a chunk ends with its line");
        at += 2;
        if size == 0 {
            return at;
        }
    }
}
