//! Weights and positions: the attributes of GraphML that a graph has a place for.
//!
//! A `<key>` declares an attribute, its name and perhaps its default; `<data key=...>` elements
//! give the values. The XML tree knows bytes, not lines, so [`Lines`] finds the line of an element.

use roxmltree::Node;

use crate::readers::ReadError;
use crate::readers::fields::finite;

/// The attributes that mean something here.
pub(super) struct Keys<'a> {
    pub(super) weight: Key<'a>,
    x: Key<'a>,
    y: Key<'a>,
}

/// An attribute as the document declares it, if it does.
pub(super) struct Key<'a> {
    name: &'static str,
    id: Option<&'a str>,
    default: Option<Node<'a, 'a>>,
}

impl<'a> Keys<'a> {
    /// Those that the children of `root` declare.
    pub(super) fn of(root: Node<'a, 'a>) -> Self {
        let find = |name, element| {
            let key = root.children().find(|child| {
                let of = child.attribute("for").unwrap_or("all");
                child.has_tag_name("key")
                    && child.attribute("attr.name") == Some(name)
                    && (of == element || of == "all")
            });
            let id = key.and_then(|key| key.attribute("id"));
            let default = key.and_then(|key| key.children().find(|c| c.has_tag_name("default")));
            Key { name, id, default }
        };
        Self { weight: find("weight", "edge"), x: find("x", "node"), y: find("y", "node") }
    }
}

impl<'a> Key<'a> {
    /// The number on `element`, or the default.
    pub(super) fn number(
        &self,
        element: Node<'a, 'a>,
        lines: &Lines,
    ) -> Result<Option<f64>, ReadError> {
        let Some(id) = self.id else { return Ok(None) };
        let data = element
            .children()
            .find(|child| child.has_tag_name("data") && child.attribute("key") == Some(id));
        let Some(data) = data.or(self.default) else { return Ok(None) };
        let text = data.text().unwrap_or_default().trim();
        finite(lines.of_element(data), text, self.name).map(Some)
    }
}

/// The places of the nodes: of all or of none.
#[derive(Default)]
pub(super) struct Positions {
    pub(super) all: Vec<[f64; 2]>,
    /// Whether nodes have positions, and the line of the node that said so first.
    given: Option<(bool, usize)>,
}

impl Positions {
    /// Adds the position of the next node.
    pub(super) fn add<'a>(
        &mut self,
        node: Node<'a, 'a>,
        keys: &Keys<'a>,
        lines: &Lines,
    ) -> Result<(), ReadError> {
        let position = match (keys.x.number(node, lines)?, keys.y.number(node, lines)?) {
            (Some(x), Some(y)) => Some([x, y]),
            (None, None) => None,
            (Some(_), None) => return Err(lines.error(node, "the node has an x but no y")),
            (None, Some(_)) => return Err(lines.error(node, "the node has a y but no x")),
        };
        let line = lines.of_element(node);
        let (given, first) = *self.given.get_or_insert((position.is_some(), line));
        if given != position.is_some() {
            let (here, there) = if given { ("no position", "one") } else { ("a position", "none") };
            let reason = format!("the node has {here}, but the node on line {first} has {there}");
            return Err(lines.error(node, reason));
        }
        self.all.extend(position);
        Ok(())
    }
}

/// Where the lines of a text end, to number elements by their place.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    /// The lines of `text`.
    pub(super) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(end, _)| end).collect())
    }

    /// The line on which `element` begins.
    pub(super) fn of_element(&self, element: Node<'_, '_>) -> usize {
        1 + self.0.partition_point(|&end| end < element.range().start)
    }

    /// `reason` at `element`.
    pub(super) fn error(&self, element: Node<'_, '_>, reason: impl std::fmt::Display) -> ReadError {
        ReadError::at(self.of_element(element), reason)
    }
}
