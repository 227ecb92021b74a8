//! The scene of an execution's output, as in the paper's figures: the solution is red.
//!
//! Pointers are red arrows from child to parent, masks red nodes or edges, numbers stand beside
//! the nodes, and the value of a whole graph is told beside the picture. The source is red too.
//! A search that chooses its own roots, such as DFS, has no source: there the nodes that others
//! point to and that point nowhere are red.

use super::scene::{EdgeStyle, Fill, Scene};
use super::xml::number;
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::spec::{Kind, Location};
use crate::trajectory::{Trajectory, Values};

/// The outputs of `trajectory`.
pub(super) fn output_scene(graph: &Graph, inputs: &Inputs, trajectory: &Trajectory) -> Scene {
    let mut scene = Scene::bare(graph);
    for (field, values) in trajectory.spec.outputs().zip(&trajectory.outputs) {
        match (field.location, values) {
            (Location::Node, Values::Mask(mask)) => {
                scene.nodes_where(mask, true, |style| style.fill = Fill::Solution);
            }
            (Location::Node, Values::MaskOne(node)) => {
                scene.node(*node, |style| style.fill = Fill::Solution);
            }
            (Location::Node, Values::Categorical(of_nodes)) => {
                if let Kind::Categorical { classes } = field.kind {
                    scene.shade(of_nodes, classes);
                }
            }
            (Location::Node, Values::Scalar(of_nodes)) => {
                scene.write(std::slice::from_ref(of_nodes), |value| Some(number(value)));
            }
            (Location::Node, Values::Pointer(targets)) => scene.point(targets),
            (Location::Edge, Values::Mask(mask)) => {
                scene.edges_where(graph, mask, EdgeStyle::Solution);
            }
            (Location::Graph, values) => scene.tell(field, values),
            (Location::Edge, _) => {}
        }
    }
    let marks_nodes = scene.nodes.iter().any(|style| style.fill != Fill::Plain);
    let roots = inputs.source.map_or_else(|| roots(&scene.arrows), |source| vec![source]);
    for root in roots {
        scene.node(root, |style| {
            style.is_source = true;
            if !marks_nodes {
                style.fill = Fill::Solution;
            }
        });
    }
    scene
}

/// Nodes that others point to and that point nowhere.
fn roots(arrows: &[Option<u32>]) -> Vec<u32> {
    let mut is_target = vec![false; arrows.len()];
    arrows.iter().flatten().for_each(|&target| is_target[target as usize] = true);
    let points_nowhere = |&node: &u32| arrows[node as usize].is_none();
    (0..arrows.len() as u32)
        .filter(|&node| is_target[node as usize])
        .filter(points_nowhere)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Field, Spec};

    /// 0 - 1 - 2 with these outputs.
    fn scene_of(fields: &[Field], outputs: Vec<Values>, source: Option<u32>) -> Scene {
        let graph = Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
        let spec = Spec { algorithm: "test".into(), fields: fields.to_vec().into() };
        let trajectory = Trajectory { spec, length: 1, hints: None, outputs };
        output_scene(&graph, &Inputs { source, randomness: None }, &trajectory)
    }

    fn reds(scene: &Scene) -> Vec<bool> {
        scene.nodes.iter().map(|style| style.fill == Fill::Solution).collect()
    }

    #[test]
    fn pointers_are_arrows_and_the_source_is_red() {
        let pi = Field::output("pi", Location::Node, Kind::Pointer);
        let scene = scene_of(&[pi], vec![Values::Pointer(vec![1, 1, 1])], Some(1));
        assert_eq!(scene.arrows, [Some(1), None, Some(1)]);
        assert_eq!(reds(&scene), [false, true, false]);
    }

    #[test]
    fn without_a_source_the_roots_of_the_pointers_are_red() {
        let pi = Field::output("pi", Location::Node, Kind::Pointer);
        // 2 points nowhere and nothing points to it
        let scene = scene_of(&[pi], vec![Values::Pointer(vec![0, 0, 2])], None);
        assert_eq!(reds(&scene), [true, false, false]);
    }

    #[test]
    fn a_mask_makes_nodes_red_and_leaves_the_source_an_outline() {
        let mask = Field::output("inmis", Location::Node, Kind::Mask);
        let scene = scene_of(&[mask], vec![Values::Mask(vec![true, false, true])], Some(1));
        assert_eq!(reds(&scene), [true, false, true]);
        assert!(scene.nodes[1].is_source);
    }

    #[test]
    fn an_edge_mask_counts_in_either_direction() {
        let mask = Field::output("bridge", Location::Edge, Kind::Mask);
        // entries: 00 01 10 11 12 21 22
        let entries = [false, false, false, true, false, true, true].to_vec();
        let scene = scene_of(&[mask], vec![Values::Mask(entries)], None);
        assert_eq!(scene.edges, [EdgeStyle::Plain, EdgeStyle::Solution]);
    }

    #[test]
    fn numbers_stand_beside_nodes_or_beside_the_picture() {
        let fields = [
            Field::output("rank", Location::Node, Kind::Scalar),
            Field::output("eccentricity", Location::Graph, Kind::Scalar),
        ];
        let outputs = vec![Values::Scalar(vec![0.0, 0.25, 7.0]), Values::Scalar(vec![3.0])];
        let scene = scene_of(&fields, outputs, Some(0));
        let notes: Vec<&[String]> = scene.nodes.iter().map(|style| &*style.note).collect();
        assert_eq!(notes, [["0"], ["0.25"], ["7"]]);
        assert_eq!(scene.facts, ["eccentricity = 3"]);
    }
}
