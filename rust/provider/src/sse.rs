//! Server-sent events, sans I/O: bytes in at any cut, events out.
//!
//! Lines end by LF, CR or CRLF; a BOM at the start is skipped; comments are dropped; several `data` lines are joined by LF.
//! An event that no blank line ended is not an event.

use crate::error::ProviderError;
use crate::limits;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The `event` field; empty when absent.
    pub(crate) name: String,
    /// The `data` lines.
    pub(crate) data: Vec<u8>,
}

/// The parser's state between pieces.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// Whether the previous piece ended in CR, so that a following LF belongs to it.
    after_cr: bool,
    /// Whether the start of the stream, where a BOM may be, has passed.
    begun: bool,
}

impl SseParser {
    /// Reads a piece and appends the events that it completes.
    ///
    /// # Errors
    /// `BadResponse` when one event exceeds its limit.
    pub(crate) fn push(&mut self, mut piece: &[u8], out: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        while let Some(&first) = piece.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                piece = piece.get(1..).unwrap_or_default();
                continue;
            }
            let end = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (text, rest) = piece.split_at(end.unwrap_or(piece.len()));
            if self.line.len() + self.event.data.len() + text.len() > limits::EVENT_BYTES {
                return Err(ProviderError::bad_response(
                    "The endpoint sent an event larger than 4 MB.",
                ));
            }
            self.line.extend_from_slice(text);
            piece = match rest.split_first() {
                Some((terminator, after)) => {
                    self.after_cr = *terminator == b'\r';
                    self.end_line(out);
                    after
                }
                None => rest,
            };
        }
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) {
        let taken = std::mem::take(&mut self.line);
        let mut line = taken.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                out.push(event);
            }
        } else {
            let (field, value) = match line.iter().position(|byte| *byte == b':') {
                Some(colon) => (
                    line.get(..colon).unwrap_or_default(),
                    line.get(colon + 1..).unwrap_or_default(),
                ),
                None => (line, &[][..]),
            };
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match field {
                b"data" => {
                    if std::mem::replace(&mut self.has_data, true) {
                        self.event.data.push(b'\n');
                    }
                    self.event.data.extend_from_slice(value);
                }
                b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
                // `id`, `retry` and unknown fields steer reconnection, which would bill twice.
                _ => {}
            }
        }
        // The buffer is reused, since there are thousands of lines.
        self.line = taken;
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = SseParser::default();
        let mut out = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut out).unwrap();
        }
        out.into_iter()
            .map(|event| (event.name, String::from_utf8(event.data).unwrap()))
            .collect()
    }

    fn pair(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn every_cut_gives_the_same_events() {
        let streams: [(&[u8], Vec<_>); 8] = [
            (b"data: a\n\ndata:b\n\n", vec![pair("", "a"), pair("", "b")]),
            (b"\xEF\xBB\xBFdata: a\r\n\r\n", vec![pair("", "a")]),
            (
                b"data: a\rdata: b\r\rdata: c\r\r",
                vec![pair("", "a\nb"), pair("", "c")],
            ),
            (
                b": ping\n\nevent: x\n: c\ndata: 1\nid: 7\nretry: 1\n\n",
                vec![pair("x", "1")],
            ),
            (
                b"data\n\ndata:\ndata:\n\nevent: only\n\ndata:  two\n\n",
                vec![pair("", ""), pair("", "\n"), pair("", " two")],
            ),
            ("data: ü😀\r\n\n".as_bytes(), vec![pair("", "ü😀")]),
            (b"data: cut off\n", vec![]),
            (b"data: cut off", vec![]),
        ];
        let mut cuts = 0;
        for (stream, expected) in &streams {
            for cut in 0..=stream.len() {
                let (head, tail) = stream.split_at(cut);
                assert_eq!(&parse(&[head, tail]), expected, "cut at {cut} of {stream:?}");
                cuts += 1;
            }
            let bytes: Vec<&[u8]> = stream.chunks(1).collect();
            assert_eq!(&parse(&bytes), expected);
        }
        assert!(cuts > 100);
    }

    #[test]
    fn an_event_without_an_end_is_bounded() {
        let mut parser = SseParser::default();
        let mut out = Vec::new();
        let piece = vec![b'x'; 1 << 20];
        let result = (0..8).try_for_each(|_| parser.push(&piece, &mut out));
        assert!(matches!(result, Err(ProviderError::BadResponse { .. })));
    }
}
