//! Where the notes beside the nodes go: eight places around a node, the one least in the way.
//!
//! Nodes are served one after the other, so a note also keeps clear of those before it. The place
//! does not depend on the step, or notes would jump in an animation. O(n (n + m)), for the small
//! graphs that have notes.

use super::layout::Placement;

/// Directions in the order of preference: below, above, the sides, the corners.
const DIRECTIONS: [[f64; 2]; 8] = [
    [0.0, 1.0],
    [0.0, -1.0],
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.75, 0.75],
    [-0.75, 0.75],
    [0.75, -0.75],
    [-0.75, -0.75],
];

/// Radius of the ring and halo that a node may have, in radii of a node.
const RING: f64 = 1.65;

/// The centre of a note of `sizes[u]` for every node u.
pub(super) fn note_places(
    placement: &Placement,
    edges: &[(u32, u32)],
    radius: f64,
    sizes: &[[f64; 2]],
) -> Vec<[f64; 2]> {
    let points = &placement.points;
    let mut placed: Vec<Rect> = Vec::with_capacity(points.len());
    for (&[x, y], &[width, height]) in points.iter().zip(sizes) {
        let options = DIRECTIONS.map(|[dx, dy]| {
            // A ring around the node has its place between node and note.
            let away = RING * radius;
            let centre = [x + dx * (away + width / 2.0), y + dy * (away + height / 2.0)];
            Rect { centre, half: [width / 2.0, height / 2.0] }
        });
        let cost = |note: &Rect| {
            let within =
                |reach: f64| points.iter().filter(|&&point| note.distance(point) < reach).count();
            let covered = within(radius) + within(0.98 * RING * radius);
            let hidden = placed.iter().filter(|other| note.overlaps(other)).count();
            let crossed = edges
                .iter()
                .filter(|&&(u, v)| note.is_crossed(points[u as usize], points[v as usize]));
            let outside = usize::from(!note.is_inside(placement));
            20 * outside + 6 * covered + 8 * hidden + 3 * crossed.count()
        };
        // Equal costs keep the first: `min_by_key` takes the first of several minima.
        let best = options.into_iter().min_by_key(|note| cost(note));
        placed.extend(best);
    }
    placed.into_iter().map(|note| note.centre).collect()
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy)]
struct Rect {
    centre: [f64; 2],
    half: [f64; 2],
}

impl Rect {
    /// Distance of a point from the rectangle.
    fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        let dx = ((x - self.centre[0]).abs() - self.half[0]).max(0.0);
        let dy = ((y - self.centre[1]).abs() - self.half[1]).max(0.0);
        (dx * dx + dy * dy).sqrt()
    }

    fn overlaps(&self, other: &Self) -> bool {
        (0..2).all(|axis| {
            (self.centre[axis] - other.centre[axis]).abs() < self.half[axis] + other.half[axis]
        })
    }

    fn is_inside(&self, placement: &Placement) -> bool {
        let size = [placement.width, placement.height];
        (0..2).all(|axis| {
            let (centre, half) = (self.centre[axis], self.half[axis]);
            centre - half >= 0.0 && centre + half <= size[axis]
        })
    }

    /// Whether the segment from `a` to `b` meets the rectangle (clipping after Liang and Barsky).
    fn is_crossed(&self, a: [f64; 2], b: [f64; 2]) -> bool {
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for axis in 0..2 {
            let (from, delta) = (a[axis] - self.centre[axis], b[axis] - a[axis]);
            if delta == 0.0 {
                if from.abs() > self.half[axis] {
                    return false;
                }
                continue;
            }
            let ends = [(-self.half[axis] - from) / delta, (self.half[axis] - from) / delta];
            enter = enter.max(ends[0].min(ends[1]));
            leave = leave.min(ends[0].max(ends[1]));
        }
        enter <= leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_gives_way_to_an_edge() {
        // 0
        // |
        // 1
        let points = vec![[50.0, 30.0], [50.0, 90.0]];
        let placement = Placement { points, width: 100.0, height: 120.0 };
        let places = note_places(&placement, &[(0, 1)], 10.0, &[[20.0, 8.0]; 2]);
        assert!(places[0][1] < 30.0, "above the upper node: {places:?}");
        assert!(places[1][1] > 90.0, "below the lower node: {places:?}");
    }

    #[test]
    fn notes_stay_inside_the_box() {
        let placement = Placement { points: vec![[50.0, 50.0]], width: 100.0, height: 64.0 };
        let places = note_places(&placement, &[], 10.0, &[[20.0, 8.0]]);
        assert!(places[0][1] < 50.0, "{places:?}");
    }
}
