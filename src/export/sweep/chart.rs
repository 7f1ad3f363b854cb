//! A line chart as SVG, with logarithmic axes: loads are swept in steps that double, and times spread over decades.
//!
//! Lines are told apart by colour, dashes and marks, so that no one of these has to be seen.

use std::fmt::Write as _;

use crate::export::page::escaped;

/// The size of the picture and the margins of its plot, in units of the view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 60.0;

/// The most room a character takes, which is on the narrowest screens.
const CHARACTER: f64 = 12.0;

/// The palette of Okabe and Ito, which people with any kind of colour vision tell apart.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
const DASHES: [&str; 3] = ["none", "8 4", "2 4"];

/// A line through points (x, y).
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// What is drawn.
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) x_name: &'static str,
    pub(super) lines: Vec<Line>,
    /// Whether y = x means something: all that is offered is answered.
    pub(super) diagonal: bool,
    /// A value of the y axis as text.
    pub(super) show: fn(f64) -> String,
}

/// A range of values above 0 on a logarithmic scale, and where in the picture it lies.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// With some room at both ends.
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (low, high) = range(values);
        Scale { low: low / 1.2, high: high * 1.2, from, to }
    }

    /// From one tick to another, so that there are at least two.
    fn between_ticks(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (low, high) = range(values);
        let first = round_values(low).into_iter().rfind(|round| *round <= low).unwrap_or(low);
        let last = round_values(high).into_iter().find(|round| *round >= high && *round > first).unwrap_or(high);
        Scale { low: first, high: last, from, to }
    }

    /// Where a value lies; values of 0 and less at the lower end.
    fn place(&self, value: f64) -> f64 {
        let part = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        self.from + part.min(1.0) * (self.to - self.from)
    }

    /// Round values within: 1, 2 and 5 of each decade, or only the decades if that were too many.
    fn ticks(&self) -> Vec<f64> {
        let many = (self.high / self.low).log10() > 3.0;
        let mut ticks = Vec::new();
        let mut from = self.low;
        while from <= self.high {
            let [one, two, five, next] = round_values(from);
            ticks.extend(if many { vec![one] } else { vec![one, two, five] });
            from = next;
        }
        ticks.retain(|tick| (self.low..=self.high).contains(tick));
        ticks
    }
}

/// The least and the greatest of those that have a place on a logarithmic scale.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let placed = values.filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = placed.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (1.0, 10.0) } else { (low, high) }
}

/// 1, 2 and 5 of the decade of a value, and where the next one begins.
fn round_values(value: f64) -> [f64; 4] {
    let exponent = value.log10().floor();
    let decade = 10f64.powf(exponent);
    [decade, 2.0 * decade, 5.0 * decade, 10f64.powf(exponent + 1.0)]
}

impl Chart {
    /// The picture.
    pub(super) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::around(points().map(|(x, _)| *x), LEFT, WIDTH - RIGHT);
        let y = Scale::between_ticks(points().map(|(_, y)| *y), HEIGHT - BOTTOM, TOP);
        let mut svg = format!(
            "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} over {}; the tables below have \
             the figures\">\n",
            escaped(self.title),
            escaped(self.x_name)
        );
        self.axes(&x, &y, &mut svg);
        for (number, line) in self.lines.iter().enumerate() {
            draw(line, number, &x, &y, &mut svg);
        }
        svg.push_str("</svg>\n");
        self.legend(&mut svg);
        svg.push_str("</figure>\n");
        svg
    }

    fn axes(&self, x: &Scale, y: &Scale, svg: &mut String) {
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                at + 5.0,
                escaped(&(self.show)(tick)),
            );
        }
        let mut swept: Vec<f64> = self.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).collect();
        swept.sort_by(f64::total_cmp);
        swept.dedup();
        let mut end = f64::NEG_INFINITY;
        for value in swept {
            let (at, text) = (x.place(value), value.to_string());
            let half = text.len() as f64 * CHARACTER / 2.0;
            // Values that lie close have one text.
            if at - half > end {
                let y = HEIGHT - BOTTOM + 20.0;
                let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>");
                end = at + half;
            }
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {}H{}\" stroke=\"currentColor\"/>\
             <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            WIDTH - RIGHT,
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 10.0,
            escaped(self.x_name),
        );
        if self.diagonal {
            let (low, high) = (x.low.max(y.low), x.high.min(y.high));
            if low < high {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"currentColor\" stroke-opacity=\".4\"/>",
                    x.place(low),
                    y.place(low),
                    x.place(high),
                    y.place(high)
                );
            }
        }
    }

    fn legend(&self, html: &mut String) {
        let _ = write!(html, "<figcaption>{}. ", escaped(self.title));
        for (number, line) in self.lines.iter().enumerate() {
            let _ = write!(
                html,
                "<span class=\"key\"><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\">\
                 <path d=\"M0 6H32\" {}/>{}</svg> {}</span> ",
                stroke(number),
                mark(number, 16.0, 6.0),
                escaped(&line.name)
            );
        }
        if self.diagonal {
            html.push_str("<span class=\"key\">Thin line: all that is offered.</span>");
        }
        html.push_str("</figcaption>\n");
    }
}

fn draw(line: &Line, number: usize, x: &Scale, y: &Scale, svg: &mut String) {
    let places: Vec<(f64, f64)> = line.points.iter().map(|(at, value)| (x.place(*at), y.place(*value))).collect();
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    if path.is_empty() {
        return;
    }
    let _ = writeln!(svg, "<path d=\"M{}\" {}/>", path.join("L"), stroke(number));
    for (x, y) in places {
        svg.push_str(&mark(number, x, y));
    }
    svg.push('\n');
}

fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

fn stroke(number: usize) -> String {
    let (colour, dashes) = (colour(number), DASHES[number % DASHES.len()]);
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"")
}

/// A disk, a square, a triangle or a diamond.
fn mark(number: usize, x: f64, y: f64) -> String {
    let colour = colour(number);
    let path = match number % 4 {
        0 => return format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"),
        1 => format!("M{:.1} {:.1}h8v8h-8z", x - 4.0, y - 4.0),
        2 => format!("M{x:.1} {:.1}l5 9h-10z", y - 5.0),
        _ => format!("M{x:.1} {:.1}l5 5l-5 5l-5-5z", y - 5.0),
    };
    format!("<path d=\"{path}\" fill=\"{colour}\"/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_their_logarithm_says() {
        let scale = Scale { low: 1.0, high: 100.0, from: 0.0, to: 200.0 };
        for (value, place) in [(1.0, 0.0), (10.0, 100.0), (100.0, 200.0), (0.0, 0.0), (1_000.0, 200.0)] {
            assert!((scale.place(value) - place).abs() < 1e-9, "{value}: {}", scale.place(value));
        }
        assert_eq!(scale.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(Scale { high: 1e6, ..scale }.ticks().len(), 7, "decades only");
    }

    #[test]
    fn an_axis_has_values_to_read() {
        for (values, ticks) in [
            (vec![], vec![1.0, 2.0, 5.0, 10.0]),
            (vec![5.0], vec![5.0, 10.0]),
            (vec![1_000.0], vec![1_000.0, 2_000.0]),
            (vec![2.5, 4.0], vec![2.0, 5.0]),
            (vec![0.3, 12.0, 0.0], vec![0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]),
        ] {
            let scale = Scale::between_ticks(values.iter().copied(), 0.0, 1.0);
            assert_eq!(scale.ticks(), ticks, "{values:?}");
            for value in values {
                assert!((0.0..=1.0).contains(&scale.place(value)), "{value}");
            }
        }
        let single = Scale::around([5.0].into_iter(), 0.0, 1.0);
        assert!((single.place(5.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_chart_has_each_line_and_harmless_names() {
        let line = |name: &str, points: &[(f64, f64)]| Line { name: name.to_owned(), points: points.to_vec() };
        let chart = Chart {
            title: "t",
            x_name: "x",
            lines: vec![line("<b>", &[(10.0, 10.0), (20.0, 0.0)]), line("none", &[])],
            diagonal: true,
            show: |value| value.to_string(),
        };
        let svg = chart.svg();
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3, "two points and the legend");
    }
}
