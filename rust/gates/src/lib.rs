//! Pure checks over exported state and evaluated statistics
