//! What a table asks of its entries.
#![expect(unsafe_code, reason = "an entry promises what the table cannot check")]

/// A key with its value, in memory that the program allocates and frees.
///
/// # Safety
/// As long as an entry is in a table, its hash and its key are always the same, also when two threads ask at once.
pub unsafe trait Entry: Send + Sync + 'static {
    /// The hash of the key: 64 bits, all of which should differ between keys. It is keyed by a secret if others can
    /// choose keys; else they choose keys that the table keeps in one long chain.
    fn hash(&self) -> u64;

    /// The key. Two entries with equal keys have equal hashes.
    fn key(&self) -> &[u8];
}
