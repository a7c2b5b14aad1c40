//! Tree IR, catalogue, preflight, reconciliation, edit delta
