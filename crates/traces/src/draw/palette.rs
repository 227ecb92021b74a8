//! The colours, for light and dark backgrounds.
//!
//! Hues are told apart by colour-blind readers (red, blue and amber after Okabe and Ito), and
//! every meaning has a second channel that survives grey print: solutions have wide lines and
//! light labels, states differ in lightness, rings in their place.

/// Colours by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Palette {
    pub background: &'static str,
    pub text: &'static str,
    /// Text of less importance.
    pub muted: &'static str,
    pub edge: &'static str,
    pub node: &'static str,
    pub outline: &'static str,
    /// Outlines and labels of nodes that have left.
    pub faint: &'static str,
    /// Outputs, pointers and the source.
    pub solution: &'static str,
    /// Labels on nodes filled with `solution`.
    pub on_solution: &'static str,
    /// Nodes an algorithm has dealt with.
    pub reached: &'static str,
    /// Nodes that wait: fill and ring.
    pub waiting: [&'static str; 2],
    /// The node being looked at, and marked edges.
    pub current: &'static str,
    /// What changed in this step.
    pub halo: &'static str,
    /// Nodes that are done, or in the last of three classes.
    pub dark: &'static str,
    pub on_dark: &'static str,
    /// The middle of three classes.
    pub grey: &'static str,
}

pub(super) static LIGHT: Palette = Palette {
    background: "#ffffff",
    text: "#1f2328",
    muted: "#656d76",
    edge: "#c4cad1",
    node: "#ffffff",
    outline: "#4d555e",
    faint: "#c9ced4",
    solution: "#d62728",
    on_solution: "#ffffff",
    reached: "#b9dcf5",
    waiting: ["#fdeec9", "#d98c00"],
    current: "#0b62b0",
    halo: "#ffbe69",
    dark: "#434a52",
    on_dark: "#ffffff",
    grey: "#c9ced4",
};

pub(super) static DARK: Palette = Palette {
    background: "#15181d",
    text: "#e8eaed",
    muted: "#9aa3ad",
    edge: "#464e58",
    node: "#20252c",
    outline: "#a7b0ba",
    faint: "#48505a",
    solution: "#ff5a54",
    on_solution: "#15181d",
    reached: "#2d5b80",
    waiting: ["#4d3d17", "#f0b429"],
    current: "#63b3f2",
    halo: "#a3620f",
    dark: "#d9dde2",
    on_dark: "#15181d",
    grey: "#6b7480",
};

/// Fills for more than three classes, light enough for dark labels.
pub(super) static CLASSES: [&str; 8] =
    ["#ffffff", "#8ec9ee", "#f6c85f", "#7fd1ae", "#e8a2c8", "#f0915f", "#b5b9ff", "#b0b7bf"];

/// Labels on [`CLASSES`], whatever the background.
pub(super) const ON_CLASSES: &str = "#1f2328";
