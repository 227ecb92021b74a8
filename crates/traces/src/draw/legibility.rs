//! How hard a layout is to read: what a reader would take for something that is not there.
//!
//! Two nodes on one spot hide each other, an edge through a strange node looks like two edges,
//! and crossings cost attention. Lengths are measured in mean edge lengths, so the size of the
//! layout does not count. O(m^2 + n m): for small graphs only.

/// The clutter of a layout, 0 for a perfect one.
pub(super) fn clutter(points: &[[f64; 2]], edges: &[(u32, u32)]) -> f64 {
    let at = |u: u32| points[u as usize];
    let total: f64 = edges.iter().map(|&(u, v)| length(minus(at(u), at(v)))).sum();
    if total == 0.0 {
        return 0.0;
    }
    let unit = total / edges.len() as f64;
    let mut clutter = 0.0;
    for (place, &(a, b)) in edges.iter().enumerate() {
        for &(c, d) in &edges[..place] {
            let share_a_node = a == c || a == d || b == c || b == d;
            if !share_a_node && cross(at(a), at(b), at(c), at(d)) {
                clutter += 1.0;
            }
        }
        for (u, &point) in (0..).zip(points) {
            if u != a && u != b {
                clutter += NODE_ON_EDGE * closeness(to_segment(point, at(a), at(b)) / unit, 0.3);
            }
        }
    }
    for (u, &point) in points.iter().enumerate() {
        for &other in &points[..u] {
            clutter += NODE_ON_NODE * closeness(length(minus(point, other)) / unit, 0.6);
        }
    }
    clutter
}

/// An edge right through a node is worth this many crossings.
const NODE_ON_EDGE: f64 = 6.0;
/// Two nodes on one spot are worth this many crossings.
const NODE_ON_NODE: f64 = 12.0;

/// From 1 at distance 0 down to 0 at `limit`.
fn closeness(distance: f64, limit: f64) -> f64 {
    (1.0 - distance / limit).max(0.0)
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// Twice the signed area of the triangle `a`, `b`, `c`.
fn area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let ([bx, by], [cx, cy]) = (minus(b, a), minus(c, a));
    bx * cy - by * cx
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    area(a, b, c) * area(a, b, d) < 0.0 && area(c, d, a) * area(c, d, b) < 0.0
}

/// Distance of `point` from the segment between `a` and `b`.
fn to_segment(point: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let ([x, y], [dx, dy]) = (minus(point, a), minus(b, a));
    let along = ((x * dx + y * dy) / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
    length([x - along * dx, y - along * dy])
}

#[cfg(test)]
mod tests {
    use super::*;

    // 0 --- 1
    // |  x  |
    // 2 --- 3
    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];

    #[test]
    fn sides_of_a_square_are_clear_and_its_diagonals_cross_once() {
        let sides = [(0, 1), (0, 2), (1, 3), (2, 3)];
        assert_eq!(clutter(&SQUARE, &sides), 0.0);
        assert_eq!(clutter(&SQUARE, &[(0, 3), (1, 2)]), 1.0);
    }

    #[test]
    fn an_edge_through_a_node_is_worse_than_a_crossing() {
        // 0 - 1 - 2 with an edge (0, 2) on the same line
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        assert!(clutter(&line, &[(0, 1), (1, 2), (0, 2)]) > 1.0);
    }
}
