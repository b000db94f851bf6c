//! Answers that wait for their peer to read.

/// A buffer with at least this many bytes is handed on rather than copied.
const COPIED: usize = 64 * 1024;

/// Bytes to send: those before `sent` are gone already.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    bytes: Vec<u8>,
    sent: usize,
}

impl Pending {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Appends to what waits.
    pub(crate) fn append(&mut self, more: &[u8]) {
        // Each byte is moved at most once for each byte that was sent.
        if self.sent > self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
        self.bytes.extend_from_slice(more);
    }

    /// Takes what is left of an output of which the first bytes were sent, and leaves it empty.
    pub(crate) fn take_over(&mut self, output: &mut Vec<u8>, sent: usize) {
        let left = output.len() - sent;
        // A buffer that is mostly empty stays with the thread, which uses it again.
        if self.is_empty() && left >= COPIED && left >= output.capacity() / 2 {
            self.bytes = std::mem::take(output);
            self.sent = sent;
        } else {
            self.append(&output[sent..]);
            output.clear();
        }
    }

    /// These many bytes were sent.
    pub(crate) fn advance(&mut self, count: usize) {
        self.sent += count;
        if self.is_empty() {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_comes_out_in_order() {
        let mut pending = Pending::default();
        let (mut out, mut expected) = (Vec::new(), Vec::new());
        for round in 0..200_u8 {
            let more = vec![round; usize::from(round) + 1];
            expected.extend_from_slice(&more);
            pending.append(&more);
            let sent = pending.len() * 2 / 3;
            out.extend_from_slice(&pending.unsent()[..sent]);
            pending.advance(sent);
        }
        out.extend_from_slice(pending.unsent());
        pending.advance(pending.len());
        assert_eq!(out, expected);
        assert!(pending.is_empty());
        assert_eq!(pending.bytes.capacity(), 0);
    }

    #[test]
    fn a_large_output_is_handed_on_without_a_copy() {
        let mut output = vec![7; COPIED * 4];
        let place = output.as_ptr();
        let mut pending = Pending::default();
        pending.take_over(&mut output, 10);
        assert!(output.is_empty());
        assert_eq!(pending.len(), COPIED * 4 - 10);
        assert_eq!(pending.bytes.as_ptr(), place);
    }

    #[test]
    fn a_small_output_is_copied_and_its_buffer_stays() {
        let mut output = Vec::with_capacity(1 << 20);
        output.extend_from_slice(b"abcdef");
        let mut pending = Pending::default();
        pending.append(b"12");
        pending.take_over(&mut output, 2);
        assert_eq!(pending.unsent(), b"12cdef");
        assert!(output.is_empty() && output.capacity() >= 1 << 20);
    }
}
