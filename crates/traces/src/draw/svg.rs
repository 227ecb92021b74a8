//! Whole documents: the picture of an output, the strip and the animation of the steps.
//!
//! Each lays out the graph once, draws its scenes in panels of one size, and sets headings above
//! and a legend below. The width is given, the height follows from the graph.

use super::captions::{about_output, about_steps, heading, line, title};
use super::clock::{Clock, evenly, runs};
use super::layout::layout;
use super::legend::legend;
use super::marks::Marks;
use super::options::Options;
use super::output::output_scene;
use super::palette::Palette;
use super::panel::{Looks, Panel};
use super::scene::Scene;
use super::step::step_scene;
use super::xml::{document, px};
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::trajectory::Trajectory;

/// Frames of an animation at most.
const MAX_FRAMES: usize = 300;
/// Narrowest panel of a strip.
const MIN_PANEL: f64 = 210.0;
/// Space around a document and between panels.
const GAP: f64 = 12.0;
/// Height of a line of text above a panel or below a picture.
const LINE: f64 = 20.0;

/// The output of an execution, as in the paper's figures.
pub fn picture(
    graph: &Graph,
    inputs: &Inputs,
    trajectory: &Trajectory,
    options: &Options,
) -> String {
    let (width, palette) = (options.width(), options.palette());
    let scene = output_scene(graph, inputs, trajectory);
    let looks = Looks { palette, labels: options.labels, note_lines: scene.note_lines() };
    let panel = Panel::new(graph, &layout(graph), width, looks);
    let mut body = panel.draw(std::slice::from_ref(&scene), &Clock::STILL);
    let mut height = panel.height();
    if !scene.facts.is_empty() {
        let at = [width / 2.0, height + 0.5 * LINE];
        body += &line(at, "middle", 14.0, palette.text, &scene.facts.join(", "));
        height += 1.4 * LINE;
    }
    let title = title(graph, trajectory, "output");
    document([width, height], &title, &about_output(inputs, trajectory), palette, &body)
}

/// The steps of an execution side by side, each under its number; the output alone if no hints
/// were recorded.
pub fn strip(graph: &Graph, inputs: &Inputs, trajectory: &Trajectory, options: &Options) -> String {
    if trajectory.hints.is_none() {
        return picture(graph, inputs, trajectory, options);
    }
    let (width, palette) = (options.width(), options.palette());
    let points = layout(graph);
    let steps = evenly(trajectory.length as usize, options.max_panels);
    let scenes: Vec<Scene> =
        steps.iter().map(|&step| step_scene(graph, inputs, trajectory, step)).collect();
    let note_lines = scenes.iter().map(Scene::note_lines).max().unwrap_or(0);
    let looks = Looks { palette, labels: options.labels, note_lines };
    let panel_of = |columns: usize| {
        let room = (width - GAP * (columns as f64 + 1.0)) / columns as f64;
        (room, Panel::new(graph, &points, room, looks))
    };
    let most = ((width / MIN_PANEL) as usize).clamp(1, steps.len());
    let rows = steps.len().div_ceil(most);
    // Wide and flat graphs read better in fewer columns, and cost little height.
    let columns = (1..=steps.len().div_ceil(rows))
        .rev()
        .find(|&columns| {
            let (room, panel) = panel_of(columns);
            panel.is_roomy() || panel.height() > 0.35 * room
        })
        .unwrap_or(1);
    let (room, panel) = panel_of(columns);

    let mut body = String::new();
    for (place, (&step, scene)) in steps.iter().zip(&scenes).enumerate() {
        let (row, column) = (place / columns, place % columns);
        let left = GAP + column as f64 * (room + GAP);
        let top = GAP + row as f64 * (LINE + panel.height() + GAP);
        let drawn = panel.draw(std::slice::from_ref(scene), &Clock::STILL);
        body += &format!(
            "<g class=\"panel\" transform=\"translate({},{})\">\n{}\
             <g transform=\"translate(0,{LINE})\">\n{drawn}</g>\n</g>\n",
            px(left),
            px(top),
            heading([0.0, 0.6 * LINE], step, scene, palette),
        );
    }
    let rows = steps.len().div_ceil(columns) as f64;
    let below = GAP + rows * (LINE + panel.height() + GAP);
    let (key, key_height) = keyed(graph, inputs, trajectory, palette, below, width);
    let size = [width, below + key_height + GAP];
    let title = title(graph, trajectory, "steps");
    document(size, &title, &about_steps(trajectory, &steps), palette, &(body + &key))
}

/// The steps of an execution one after the other, again and again; the output alone if no hints
/// were recorded. Viewers without animation show the last step.
pub fn animation(
    graph: &Graph,
    inputs: &Inputs,
    trajectory: &Trajectory,
    options: &Options,
) -> String {
    if trajectory.hints.is_none() {
        return picture(graph, inputs, trajectory, options);
    }
    let (width, palette) = (options.width(), options.palette());
    let steps = evenly(trajectory.length as usize, MAX_FRAMES);
    let scenes: Vec<Scene> =
        steps.iter().map(|&step| step_scene(graph, inputs, trajectory, step)).collect();
    let note_lines = scenes.iter().map(Scene::note_lines).max().unwrap_or(0);
    let looks = Looks { palette, labels: options.labels, note_lines };
    let panel = Panel::new(graph, &layout(graph), width, looks);
    let clock = Clock { n_frames: steps.len(), seconds_per_frame: options.seconds_per_frame() };
    let mut body = String::new();
    let headings = steps.iter().zip(&scenes);
    for (frames, text) in
        runs(headings.map(|(&step, scene)| heading([GAP, GAP + 0.6 * LINE], step, scene, palette)))
    {
        body += &clock.during(&frames, &text);
    }
    let top = GAP + LINE;
    body += &format!(
        "<g transform=\"translate(0,{})\">\n{}</g>\n",
        px(top),
        panel.draw(&scenes, &clock)
    );
    let below = top + panel.height();
    let (key, key_height) = keyed(graph, inputs, trajectory, palette, below, width);
    let size = [width, below + key_height + GAP];
    let title = title(graph, trajectory, "steps");
    document(size, &title, &about_steps(trajectory, &steps), palette, &(body + &key))
}

fn keyed(
    graph: &Graph,
    inputs: &Inputs,
    trajectory: &Trajectory,
    palette: &'static Palette,
    top: f64,
    width: f64,
) -> (String, f64) {
    let marks = Marks { palette, radius: 6.0 };
    legend(graph, inputs, &trajectory.spec, &marks, [GAP, top], width - 2.0 * GAP)
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::super::examples::{bfs, every_kind, options, path};
    use super::*;

    type Drawing = fn(&Graph, &Inputs, &Trajectory, &Options) -> String;

    const DRAWINGS: [Drawing; 3] = [picture, strip, animation];

    /// Elements with this tag and class.
    fn count(svg: &str, tag: &str, class: &str) -> usize {
        let document = Document::parse(svg).unwrap();
        let is_one = |node: &roxmltree::Node<'_, '_>| {
            node.has_tag_name(tag) && node.attribute("class") == Some(class)
        };
        document.descendants().filter(is_one).count()
    }

    #[test]
    fn every_kind_of_feature_gives_valid_xml_with_title_and_description() {
        let (graph, inputs, trajectory) = every_kind();
        for draw in DRAWINGS {
            for dark in [false, true] {
                let svg = draw(&graph, &inputs, &trajectory, &Options { dark, ..options() });
                let document = Document::parse(&svg).unwrap();
                let children: Vec<&str> =
                    document.root_element().children().map(|node| node.tag_name().name()).collect();
                assert!(children.contains(&"title") && children.contains(&"desc"), "{children:?}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn a_picture_is_the_same_every_time() {
        let (graph, inputs, trajectory) = every_kind();
        for draw in DRAWINGS {
            let again = || draw(&graph, &inputs, &trajectory, &options());
            assert_eq!(again(), again());
        }
    }

    #[test]
    fn a_graph_of_one_node_can_be_drawn() {
        let (graph, inputs, trajectory) = bfs(path(1), true);
        for draw in DRAWINGS {
            let svg = draw(&graph, &inputs, &trajectory, &options());
            assert!(Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn a_tree_has_an_arrow_for_every_node_but_its_root() {
        let (graph, inputs, trajectory) = bfs(path(6), true);
        let svg = picture(&graph, &inputs, &trajectory, &options());
        assert_eq!(svg.matches("<polygon").count(), 5);
    }

    #[test]
    fn a_strip_has_a_panel_for_every_step_up_to_the_most() {
        let (graph, inputs, trajectory) = bfs(path(20), true);
        for (max_panels, panels) in [(30, 20), (20, 20), (12, 12), (2, 2), (1, 1), (0, 1)] {
            let options = Options { max_panels, ..options() };
            let svg = strip(&graph, &inputs, &trajectory, &options);
            assert_eq!(count(&svg, "g", "panel"), panels, "{max_panels}");
            assert!(svg.contains(">step 19<"), "the last step is always shown");
        }
    }

    #[test]
    fn an_animation_has_a_frame_for_every_step_until_it_is_thinned() {
        for (n_nodes, frames) in [(1, 1), (20, 20), (400, MAX_FRAMES)] {
            let (graph, inputs, trajectory) = bfs(path(n_nodes), true);
            let svg = animation(&graph, &inputs, &trajectory, &options());
            assert_eq!(count(&svg, "text", "step"), frames, "{n_nodes}");
        }
    }

    #[test]
    fn without_hints_the_output_is_shown() {
        let (graph, inputs, trajectory) = bfs(path(4), false);
        let output = picture(&graph, &inputs, &trajectory, &options());
        assert_eq!(strip(&graph, &inputs, &trajectory, &options()), output);
        assert_eq!(animation(&graph, &inputs, &trajectory, &options()), output);
    }

    #[test]
    fn sizes_that_make_no_sense_still_give_a_picture() {
        let (graph, inputs, trajectory) = bfs(path(4), true);
        for size in [0.0, -5.0, f64::NAN, f64::INFINITY] {
            let options = Options { size, seconds_per_step: size, ..options() };
            for draw in DRAWINGS {
                let svg = draw(&graph, &inputs, &trajectory, &options);
                assert!(Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{size}: {svg}");
            }
        }
    }

    #[test]
    fn a_thousand_nodes_are_drawn() {
        // Each node is tied to those at a half and a third of its number.
        let mut edges: Vec<(u32, u32)> = (1..1000).flat_map(|v| [(v / 2, v), (v / 3, v)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let (graph, inputs, trajectory) = bfs(Graph::from_edges(1000, &edges).unwrap(), true);
        let svg = picture(&graph, &inputs, &trajectory, &options());
        assert_eq!(svg.matches("<circle").count(), 1000);
        assert!(Document::parse(&svg).is_ok());
    }
}
