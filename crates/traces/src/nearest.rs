//! The name a user probably meant, for error messages about unknown names.

/// The candidate closest to `name`, if one is close enough to be a likely typing error.
///
/// ```
/// assert_eq!(salsa_traces::nearest::nearest("dijstra", ["bfs", "dijkstra"]), Some("dijkstra"));
/// assert_eq!(salsa_traces::nearest::nearest("sorting", ["bfs", "dijkstra"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// `, did you mean "x"?` or nothing: the end of a message about an unknown name.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map(|found| format!(", did you mean {found:?}?")).unwrap_or_default()
}
