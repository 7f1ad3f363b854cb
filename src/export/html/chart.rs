//! Lines over two axes as SVG, drawn on our side: the page needs no script to show them.

use std::fmt::Write as _;

/// The canvas; browsers scale it to the width that there is.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 34.0;

/// A chart.
pub(super) struct Chart {
    /// What it shows, for those who don't see it.
    pub(super) label: String,
    pub(super) height: f64,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
}

/// An axis from its first value to its last.
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Values with their labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to a round number not below `most`, with a few ticks; values are divided by `unit` where they are shown.
    pub(super) fn up_to(most: f64, unit: f64) -> Axis {
        let step = round_step(most / unit / 4.0) * unit;
        let count = (most / step).ceil().clamp(1.0, 8.0);
        let tick = |at: u32| (f64::from(at) * step, short(f64::from(at) * step / unit));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 8")]
        let ticks = (0..=count as u32).map(tick).collect();
        Axis { from: 0.0, to: count * step, ticks }
    }

    fn part(&self, value: f64) -> f64 {
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= least * 0.999_999).unwrap_or(power)
}

/// As few digits as the number has.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A line through points.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// Where nothing is known the line has a gap.
    pub(super) points: Vec<(f64, Option<f64>)>,
}

impl Line {
    /// Points with a gap on either side, which a line would not show.
    fn alone(&self) -> impl Iterator<Item = (f64, f64)> {
        let known = |at: usize| self.points.get(at).and_then(|(_, y)| *y);
        let gap = move |at: Option<usize>| at.and_then(known).is_none();
        self.points.iter().enumerate().filter_map(move |(at, (x, y))| {
            let alone = gap(at.checked_sub(1)) && gap(at.checked_add(1));
            y.filter(|_| alone).map(|y| (*x, y))
        })
    }
}

impl Chart {
    /// The drawing, with the names of its lines below it if there are several, and a caption.
    pub(super) fn figure(&self, caption: &str) -> String {
        let keys: Vec<String> = self
            .lines
            .iter()
            .enumerate()
            .filter(|_| self.lines.len() > 1)
            .map(|(at, line)| {
                format!(
                    "<span class=\"key\"><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><line class=\"line k{}\" \
                     x1=\"0\" y1=\"6\" x2=\"32\" y2=\"6\"/></svg> {}</span>",
                    at + 1,
                    line.name
                )
            })
            .collect();
        let keys = keys.concat();
        format!("<figure>\n{}<figcaption>{caption} {keys}</figcaption>\n</figure>\n", self.svg())
    }

    fn svg(&self) -> String {
        let height = self.height;
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n", self.label);
        for (value, label) in &self.y.ticks {
            let y = self.y_of(*value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 5.0
            );
        }
        for (value, label) in &self.x.ticks {
            let x = self.x_of(*value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{:.1}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                height - BOTTOM,
                height - BOTTOM + 22.0
            );
        }
        for (at, line) in self.lines.iter().enumerate() {
            let _ = writeln!(svg, "<path class=\"line k{}\" d=\"{}\"/>", at + 1, self.path(line));
            for (x, y) in line.alone() {
                let (x, y) = (self.x_of(x), self.y_of(y));
                let _ = writeln!(svg, "<circle class=\"dot k{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>", at + 1);
            }
        }
        svg + "</svg>\n"
    }

    fn path(&self, line: &Line) -> String {
        let mut path = String::new();
        let mut pen_down = false;
        for (x, y) in &line.points {
            let Some(y) = y else {
                pen_down = false;
                continue;
            };
            let (x, y) = (self.x_of(*x), self.y_of(*y));
            let _ = write!(path, "{}{x:.1} {y:.1}", if pen_down { "L" } else { "M" });
            pen_down = true;
        }
        path
    }

    fn x_of(&self, value: f64) -> f64 {
        LEFT + self.x.part(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y_of(&self, value: f64) -> f64 {
        let bottom = self.height - BOTTOM;
        bottom - self.y.part(value) * (bottom - TOP)
    }
}

/// Bars from left to right, each with a label before it and its count behind.
pub(super) fn bars(label: &str, rows: &[(String, u64)]) -> String {
    const ROW: f64 = 30.0;
    let from = LEFT + 46.0;
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let height = rows.len() as f64 * ROW + 10.0;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n");
    for (at, (mark, count)) in rows.iter().enumerate() {
        let y = at as f64 * ROW + 8.0;
        let length = *count as f64 / most as f64 * (WIDTH - from - 110.0);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{mark}</text>\
             <rect class=\"bar\" x=\"{from}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{count}</text>",
            from - 8.0,
            y + 17.0,
            ROW - 7.0,
            from + length + 8.0,
            y + 17.0
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, unit, last) in
            [(0.0, 1.0, "1"), (7.3, 1.0, "8"), (10.0, 1.0, "10"), (1_666_104.0, 1e6, "2"), (0.4, 1.0, "0.4")]
        {
            let axis = Axis::up_to(most, unit);
            assert!(axis.to >= most, "{most}");
            assert_eq!(axis.ticks.last().unwrap().1, last, "{most}");
        }
    }

    #[test]
    fn a_line_has_gaps_where_nothing_is_known() {
        let chart = Chart {
            label: String::new(),
            height: 152.0,
            x: Axis::up_to(4.0, 1.0),
            y: Axis::up_to(1.0, 1.0),
            lines: Vec::new(),
        };
        let points = vec![(0.0, Some(0.0)), (1.0, Some(1.0)), (2.0, None), (4.0, Some(1.0))];
        let line = Line { name: "", points };
        assert_eq!(chart.path(&line), "M84.0 118.0L213.0 18.0M600.0 18.0");
        assert_eq!(line.alone().collect::<Vec<_>>(), [(4.0, 1.0)], "which gets a dot");
    }
}
