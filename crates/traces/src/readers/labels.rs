//! What a file calls its nodes, which a graph numbers from 0.

/// The names of all nodes, in the order of the graph's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Labels {
    /// 1, 2, 3 and so on.
    FromOne,
    /// Whole numbers in ascending order.
    Ids(Vec<u64>),
    /// Any text.
    Names(Vec<String>),
}

impl Labels {
    /// The number of the node with this name in a graph of `n_nodes`.
    ///
    /// ```
    /// use salsa_traces::readers::Labels;
    /// assert_eq!(Labels::FromOne.node("3", 3), Some(2));
    /// assert_eq!(Labels::FromOne.node("0", 3), None);
    /// assert_eq!(Labels::Ids(vec![0, 5, 100]).node("100", 3), Some(2));
    /// assert_eq!(Labels::Names(vec!["a".into(), "b".into()]).node("b", 2), Some(1));
    /// ```
    pub fn node(&self, name: &str, n_nodes: usize) -> Option<u32> {
        let place = match self {
            Self::FromOne => name.parse::<usize>().ok()?.checked_sub(1),
            Self::Ids(ids) => ids.binary_search(&name.parse().ok()?).ok(),
            Self::Names(names) => names.iter().position(|other| other == name),
        };
        place.filter(|&place| place < n_nodes).and_then(|place| place.try_into().ok())
    }
}
