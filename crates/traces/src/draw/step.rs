//! The scene of one step of an execution: its hints, and what they changed.
//!
//! What differs from the step before is found by comparing the two scenes, so it holds for every
//! kind of hint, and for hints that are recorded again without a change.

use super::meaning::{self, Look};
use super::scene::{Changed, EdgeStyle, Fill, NodeStyle, Scene};
use super::xml::number;
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location};
use crate::trajectory::{Trajectory, Values};

/// The hints at step `step`; the bare graph if none were recorded.
pub(super) fn step_scene(
    graph: &Graph,
    inputs: &Inputs,
    trajectory: &Trajectory,
    step: usize,
) -> Scene {
    let mut scene = state(graph, inputs, trajectory, step);
    if step > 0 {
        let before = state(graph, inputs, trajectory, step - 1);
        // The current node moves at nearly every step and has a ring of its own.
        let at_rest = |style: &NodeStyle| NodeStyle { is_current: false, ..style.clone() };
        scene.changed = Changed {
            nodes: different(&scene.nodes, &before.nodes, |a, b| at_rest(a) != at_rest(b)),
            edges: different(&scene.edges, &before.edges, PartialEq::ne),
            arrows: different(&scene.arrows, &before.arrows, PartialEq::ne),
        };
    }
    scene
}

fn different<T>(now: &[T], before: &[T], differ: impl Fn(&T, &T) -> bool) -> Vec<bool> {
    now.iter().zip(before).map(|(now, before)| differ(now, before)).collect()
}

/// The hints at step `step`, without a look at the step before.
fn state(graph: &Graph, inputs: &Inputs, trajectory: &Trajectory, step: usize) -> Scene {
    let mut scene = Scene::bare(graph);
    let spec = &trajectory.spec;
    let values = |field: &Field| {
        let hint = trajectory.hint(&field.name)?;
        (step < hint.n_steps()).then(|| hint.at(step))
    };
    if let Some(Values::Pointer(targets)) = meaning::arrows(spec).and_then(values) {
        scene.point(&targets);
    }
    if let Some((field, classes)) = meaning::shades(spec)
        && let Some(Values::Categorical(of_nodes)) = values(field)
    {
        scene.shade(&of_nodes, classes);
    }
    for field in spec.hints() {
        match (field.location, field.kind) {
            (Location::Node, Kind::Mask) => {
                if let Some(Values::Mask(mask)) = values(field) {
                    show(&mut scene, meaning::look(spec, field), &mask);
                }
            }
            (Location::Edge, Kind::Mask) => {
                if let Some(Values::Mask(mask)) = values(field) {
                    scene.edges_where(graph, &mask, EdgeStyle::Marked);
                }
            }
            (Location::Graph, _) => {
                if let Some(values) = values(field) {
                    scene.tell(field, &values);
                }
            }
            _ => {}
        }
    }
    // A node that has left with the solution stays in sight.
    for style in scene.nodes.iter_mut().filter(|style| style.fill == Fill::Solution) {
        style.is_faded = false;
    }
    let numbers = meaning::notes(spec).filter_map(|field| match values(field)? {
        Values::Scalar(of_nodes) => Some(of_nodes),
        _ => None,
    });
    // 0 is what a value is before it is set.
    scene.write(&numbers.collect::<Vec<_>>(), |value| (value != 0.0).then(|| number(value)));
    if let Some(Values::MaskOne(node)) = meaning::current(spec).and_then(values) {
        scene.node(node, |style| style.is_current = true);
    }
    let root = spec.hints().find(|field| field.kind == Kind::MaskOne && field.name == "s");
    let source = inputs.source.or_else(|| match root.and_then(values)? {
        Values::MaskOne(node) => Some(node),
        _ => None,
    });
    if let Some(source) = source {
        scene.node(source, |style| style.is_source = true);
    }
    scene
}

fn show(scene: &mut Scene, look: Look, mask: &[bool]) {
    match look {
        Look::Waiting => scene.nodes_where(mask, true, |style| style.is_waiting = true),
        Look::Alive => scene.nodes_where(mask, false, |style| style.is_faded = true),
        Look::Reached | Look::Done | Look::Solution => {
            let fill = match look {
                Look::Done => Fill::Done,
                Look::Solution => Fill::Solution,
                _ => Fill::Reached,
            };
            scene.nodes_where(mask, true, |style| style.fill = style.fill.max(fill));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{bfs, every_kind, path};
    use super::*;

    #[test]
    fn a_search_reaches_and_points_step_by_step() {
        let (graph, inputs, trajectory) = bfs(path(3), true);
        let scene = step_scene(&graph, &inputs, &trajectory, 1);
        let fills: Vec<Fill> = scene.nodes.iter().map(|style| style.fill).collect();
        assert_eq!(fills, [Fill::Reached, Fill::Reached, Fill::Plain]);
        assert_eq!(scene.arrows, [None, Some(0), None]);
        assert!(scene.nodes[0].is_source);
    }

    #[test]
    fn what_differs_from_the_step_before_has_changed() {
        let (graph, inputs, trajectory) = bfs(path(3), true);
        let first = step_scene(&graph, &inputs, &trajectory, 0);
        assert_eq!(first.changed, Changed::default());
        let second = step_scene(&graph, &inputs, &trajectory, 1);
        assert_eq!(second.changed.nodes, [false, true, false]);
        assert_eq!(second.changed.arrows, [false, true, false]);
    }

    #[test]
    fn every_kind_of_hint_has_its_look() {
        let (graph, inputs, trajectory) = every_kind();
        let scene = step_scene(&graph, &inputs, &trajectory, 5);
        let style = |u: usize| &scene.nodes[u];
        assert_eq!(style(0).fill, Fill::Reached);
        assert!(style(1).is_waiting && style(1).is_faded && style(5).is_current);
        assert_eq!(style(1).fill, Fill::Class { class: 1, classes: 3 });
        assert_eq!(style(2).fill, Fill::Done);
        // chosen_h becomes the output `chosen`, and a chosen node is in sight even if not alive
        assert_eq!((style(3).fill, style(3).is_faded), (Fill::Solution, false));
        assert_eq!(style(0).note, ["–", "1"]);
        assert_eq!(style(4).note, ["1", "0.2"]);
        assert!(scene.edges.contains(&EdgeStyle::Marked));
        assert_eq!(scene.facts, ["time = 5", "phase = 1"]);
    }

    #[test]
    fn the_current_node_alone_is_no_change() {
        let (graph, inputs, trajectory) = every_kind();
        let scene = step_scene(&graph, &inputs, &trajectory, 3);
        assert_eq!(scene.changed.nodes, [false, false, false, true, false, false]);
    }
}
