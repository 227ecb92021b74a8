//! The name a user probably meant, for error messages about unknown names.

/// The candidate closest to `name`, if one is close enough to be a likely typing error.
///
/// ```
/// use salsa_traces::nearest::nearest;
/// assert_eq!(nearest("dijstra", ["bfs", "dijkstra"]), Some("dijkstra"));
/// assert_eq!(nearest("bsf", ["bfs", "dijkstra"]), Some("bfs"));
/// assert_eq!(nearest("sorting", ["bfs", "dijkstra"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    // The share of common letters says little of names of three letters, so one slip in a name of
    // several counts by itself.
    let similarity = |candidate: &str| match strsim::osa_distance(&name, candidate) {
        0 | 1 if name.len() > 1 => 1.0,
        _ => strsim::jaro_winkler(&name, candidate),
    };
    candidates
        .into_iter()
        .map(|candidate| (similarity(candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// `, did you mean "x"?` or nothing: the end of a message about an unknown name.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map(|found| format!(", did you mean {found:?}?")).unwrap_or_default()
}
