//! Line plots as SVG text, for curves over the size of a graph.
//!
//! Made by hand because it is small: a frame, ticks, and for each series a line with marks. Series
//! differ in colour (Okabe and Ito, safe for colour-blind readers) and in the shape of the marks,
//! so they are told apart in grey print too; each is named at the right end of its line, where
//! the eye already is. Figures that others measured are hollow marks without a line. A logarithmic axis leaves out values that are not positive.

mod axis;

use std::fmt::Write;

use axis::Axis;

/// A plot of several series over common axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Stands above.
    pub title: String,
    /// Stands below the x axis.
    pub x_label: String,
    /// Stands beside the y axis.
    pub y_label: String,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether y is logarithmic.
    pub log_y: bool,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line of a plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points (x, y), drawn in this order.
    pub points: Vec<(f64, f64)>,
    /// Whether its points are quoted, not measured.
    pub quoted: bool,
}

impl Series {
    /// One for each name, in the order in which they first come; a point may be missing.
    pub fn by_name(points: impl Iterator<Item = (String, Option<(f64, f64)>)>) -> Vec<Self> {
        let mut series: Vec<Self> = Vec::new();
        for (name, point) in points {
            match series.iter_mut().find(|known| known.name == name) {
                Some(known) => known.points.extend(point),
                None => {
                    let points = point.into_iter().collect();
                    series.push(Self { name, points, quoted: false });
                }
            }
        }
        series
    }
}

const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d555e"];
const TEXT: &str = "#1f2328";
const GRID: &str = "#e3e6ea";

impl Plot {
    /// The plot as an SVG document of this size in pixels.
    pub fn to_svg(&self, width: f64, height: f64) -> String {
        let longest = self.series.iter().map(|series| series.name.chars().count()).max();
        let right = 22.0 + 6.8 * longest.unwrap_or(0) as f64;
        let area = Area { left: 72.0, right: width - right, top: 40.0, bottom: height - 54.0 };
        let kept = self.kept();
        let xs = Axis::new(kept.iter().flatten().map(|point| point.0), self.log_x);
        let ys = Axis::new(kept.iter().flatten().map(|point| point.1), self.log_y);
        let x_at = |x: f64| area.left + xs.share(x) * (area.right - area.left);
        let y_at = |y: f64| area.bottom - ys.share(y) * (area.bottom - area.top);

        let mut svg = head(&self.title, &self.about(), width, height);
        for (value, label) in xs.ticks() {
            let x = x_at(value);
            line(&mut svg, [x, area.top], [x, area.bottom], GRID);
            text(&mut svg, [x, area.bottom + 18.0], "middle", 12.0, TEXT, &label);
        }
        for (value, label) in ys.ticks() {
            let y = y_at(value);
            line(&mut svg, [area.left, y], [area.right, y], GRID);
            text(&mut svg, [area.left - 8.0, y + 4.3], "end", 12.0, TEXT, &label);
        }
        line(&mut svg, [area.left, area.bottom], [area.right, area.bottom], TEXT);
        line(&mut svg, [area.left, area.top], [area.left, area.bottom], TEXT);
        let (middle_x, middle_y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        text(&mut svg, [middle_x, 24.0], "middle", 15.0, TEXT, &self.title);
        text(&mut svg, [middle_x, height - 14.0], "middle", 13.0, TEXT, &self.x_label);
        let _ = writeln!(svg, "<g transform=\"translate(20,{middle_y:.1}) rotate(-90)\">");
        text(&mut svg, [0.0, 0.0], "middle", 13.0, TEXT, &self.y_label);
        svg += "</g>\n";

        let ends: Vec<Option<f64>> =
            kept.iter().map(|points| points.last().map(|point| y_at(point.1))).collect();
        let names_at = apart(&ends, 16.0, area.top, area.bottom);
        for (place, points) in kept.iter().enumerate() {
            let colour = COLOURS[place % COLOURS.len()];
            let at: Vec<[f64; 2]> = points.iter().map(|&(x, y)| [x_at(x), y_at(y)]).collect();
            let quoted = self.series[place].quoted;
            if !quoted {
                polyline(&mut svg, &at, colour);
            }
            at.iter().for_each(|&point| mark(&mut svg, point, place, colour, quoted));
            if let (Some(&[x, _]), Some(y)) = (at.last(), names_at[place]) {
                let name_x = if area.right - x < 30.0 { x + 10.0 } else { area.right + 6.0 };
                text(&mut svg, [name_x, y + 4.3], "start", 12.0, colour, &self.series[place].name);
            }
        }
        svg + "</svg>\n"
    }

    /// The points that can be drawn.
    fn kept(&self) -> Vec<Vec<(f64, f64)>> {
        let fits = |value: f64, log: bool| value.is_finite() && (!log || value > 0.0);
        let fits = |&(x, y): &(f64, f64)| fits(x, self.log_x) && fits(y, self.log_y);
        let points = self.series.iter().map(|series| series.points.iter().copied().filter(fits));
        points.map(Iterator::collect).collect()
    }

    fn about(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| &*series.name).collect();
        format!("{} over {}: {}", self.y_label, self.x_label, names.join(", "))
    }
}

struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Heights as near as possible to the wanted ones, at least `gap` from each other.
fn apart(wanted: &[Option<f64>], gap: f64, top: f64, bottom: f64) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> =
        wanted.iter().enumerate().filter_map(|(place, y)| Some((place, (*y)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut lowest = top;
    for entry in &mut order {
        entry.1 = entry.1.max(lowest);
        lowest = entry.1 + gap;
    }
    let mut highest = bottom.max(top + gap * (order.len() as f64 - 1.0));
    for entry in order.iter_mut().rev() {
        entry.1 = entry.1.min(highest);
        highest = entry.1 - gap;
    }
    let mut heights = vec![None; wanted.len()];
    order.into_iter().for_each(|(place, y)| heights[place] = Some(y));
    heights
}

fn head(title: &str, about: &str, width: f64, height: f64) -> String {
    let (title, about) = (escape(title), escape(about));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"DejaVu Sans, sans-serif\">\n<title>{title}</title>\n<desc>{about}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    )
}

fn line(svg: &mut String, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], colour: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
    );
}

fn polyline(svg: &mut String, points: &[[f64; 2]], colour: &str) {
    let path: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"/>",
        path.join(" ")
    );
}

fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, size: f64, colour: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
         fill=\"{colour}\">{text}</text>"
    );
}

/// A circle, a square, a triangle or a diamond, by the place of the series.
fn mark(svg: &mut String, [x, y]: [f64; 2], place: usize, colour: &str, hollow: bool) {
    let paint = match hollow {
        true => format!("fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"2\""),
        false => format!("fill=\"{colour}\""),
    };
    let corners: &[[f64; 2]] = match place % 4 {
        0 => {
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {paint}/>");
            return;
        }
        1 => &[[-3.6, -3.6], [3.6, -3.6], [3.6, 3.6], [-3.6, 3.6]],
        2 => &[[0.0, -4.8], [4.5, 3.4], [-4.5, 3.4]],
        _ => &[[0.0, -5.0], [5.0, 0.0], [0.0, 5.0], [-5.0, 0.0]],
    };
    let points: Vec<String> =
        corners.iter().map(|[dx, dy]| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
    let _ = writeln!(svg, "<polygon points=\"{}\" {paint}/>", points.join(" "));
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>, log: bool) -> Plot {
        let series = vec![Series { name: "a & b".to_owned(), points, quoted: false }];
        let label = || "x < y".to_owned();
        let (title, x_label, y_label) = (label(), label(), label());
        Plot { title, x_label, y_label, log_x: log, log_y: log, series }
    }

    #[test]
    fn any_points_give_valid_xml() {
        let all = [vec![], vec![(1.0, 1.0)], vec![(0.0, -1.0), (1e9, f64::NAN), (16.0, 2e-7)]];
        for points in all {
            for log in [false, true] {
                let svg = plot(points.clone(), log).to_svg(600.0, 400.0);
                assert!(roxmltree::Document::parse(&svg).is_ok(), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn values_without_a_logarithm_are_left_out() {
        let svg = plot(vec![(1.0, 1.0), (10.0, 0.0), (100.0, 5.0)], true).to_svg(600.0, 400.0);
        assert_eq!(svg.matches("<circle").count(), 2);
    }

    #[test]
    fn quoted_points_are_hollow_and_have_no_line() {
        let mut quoted = plot(vec![(1.0, 1.0), (2.0, 2.0)], false);
        quoted.series[0].quoted = true;
        let svg = quoted.to_svg(600.0, 400.0);
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (2, 0));
        assert_eq!(svg.matches("r=\"4\" fill=\"#ffffff\"").count(), 2);
    }

    #[test]
    fn points_of_one_name_are_one_series() {
        let points = [("a", Some((1.0, 2.0))), ("b", None), ("a", Some((3.0, 4.0)))];
        let series = Series::by_name(points.into_iter().map(|(name, at)| (name.to_owned(), at)));
        let found: Vec<(&str, usize)> =
            series.iter().map(|one| (&*one.name, one.points.len())).collect();
        assert_eq!(found, [("a", 2), ("b", 0)]);
    }

    #[test]
    fn names_of_lines_that_end_together_do_not_overlap() {
        let heights = apart(&[Some(50.0), Some(52.0), None, Some(90.0)], 16.0, 0.0, 100.0);
        assert_eq!(heights, [Some(50.0), Some(66.0), None, Some(90.0)]);
    }
}
