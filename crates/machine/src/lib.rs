//! What machine this is, as measured: the fingerprint
