//! JSON Pointers (RFC 6901).

/// The pointer to member or item `token` of what `base` points to.
pub(crate) fn child(base: &str, token: &str) -> String {
    if token.contains(['~', '/']) {
        format!("{base}/{}", token.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{base}/{token}")
    }
}

/// The last token of a pointer, such as the name of a field.
pub(crate) fn last(pointer: &str) -> String {
    let token = pointer.rsplit('/').next().unwrap_or_default();
    token.replace("~1", "/").replace("~0", "~")
}

/// The pointer to `inner`, a pointer relative to what `base` points to.
pub(crate) fn join(base: &str, inner: &str) -> String {
    format!("{base}{inner}")
}
