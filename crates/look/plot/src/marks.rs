//! What stands on the axes.

/// Marks of one kind and one meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// What the legend calls them; empty for marks that explain themselves.
    pub name: String,
    /// What they mean.
    pub tone: Tone,
    /// The marks.
    pub marks: Marks,
}

impl Layer {
    /// Marks that explain themselves, so that no legend has them.
    pub fn unnamed(tone: Tone, marks: Marks) -> Self {
        Self {
            name: String::new(),
            tone,
            marks,
        }
    }
}

/// What marks mean, which decides their colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// One of several things beside each other, the baseline being 0.
    Series(u8),
    /// Proven better.
    Better,
    /// Proven worse.
    Worse,
    /// Proven the same.
    Same,
    /// Not proven.
    Open,
    /// What helps to read the rest.
    Quiet,
}

/// What a point looks like, so that colour is not all that tells series apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Disc,
    /// A cross of diagonals.
    Cross,
    /// A cross of a horizontal and a vertical.
    Plus,
    /// A triangle.
    Triangle,
    /// A square that stands on a side.
    Square,
    /// A square that stands on a corner.
    Diamond,
    /// A triangle that stands on a corner.
    Wedge,
    /// A ring.
    Ring,
    /// The outline of a triangle.
    HollowTriangle,
    /// The outline of a square that stands on a side.
    HollowSquare,
    /// The outline of a square that stands on a corner.
    HollowDiamond,
    /// The outline of a triangle that stands on a corner.
    HollowWedge,
    /// Both crosses.
    Star,
}

impl Marker {
    /// The marker of a series. There are 13, as that has no divisor in common with the number of colours: 78 series
    /// look different.
    pub fn of_series(series: usize) -> Self {
        const ALL: [Marker; 13] = [
            Marker::Disc,
            Marker::Cross,
            Marker::Triangle,
            Marker::Square,
            Marker::Plus,
            Marker::Diamond,
            Marker::Wedge,
            Marker::Ring,
            Marker::HollowTriangle,
            Marker::HollowSquare,
            Marker::HollowDiamond,
            Marker::HollowWedge,
            Marker::Star,
        ];
        ALL[series % ALL.len()]
    }
}

/// Marks of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Marks {
    /// Points.
    Points {
        /// What they look like.
        marker: Marker,
        /// Where they are.
        at: Vec<Point>,
    },
    /// A line through points, in their order.
    Line(Vec<[f64; 2]>),
    /// An area between two lines.
    Areas(Vec<Area>),
    /// Horizontal intervals.
    Intervals(Vec<Interval>),
    /// What ministat's box says of values, horizontally.
    Summaries(Vec<Summary>),
    /// A straight line across the plot.
    Rule {
        /// The axis that the place is on.
        axis: Which,
        /// The place.
        at: f64,
    },
    /// A range of an axis, across the plot.
    Stripe {
        /// The axis that the range is on.
        axis: Which,
        /// Its lower end.
        low: f64,
        /// Its higher end.
        high: f64,
    },
    /// Places of two axes of names, coloured by what they hold.
    Cells(Vec<Cell>),
}

/// One of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The horizontal one.
    X,
    /// The vertical one.
    Y,
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// Where it is on the vertical axis.
    pub y: f64,
    /// What it is.
    pub label: String,
    /// What to open for more.
    pub link: Option<String>,
}

/// A vertical piece of an area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// Its lower end.
    pub low: f64,
    /// Its higher end.
    pub high: f64,
}

/// A horizontal interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// Where it is on the vertical axis.
    pub y: f64,
    /// Its lower end; none where it has no end.
    pub low: Option<f64>,
    /// The estimate.
    pub middle: f64,
    /// Its higher end.
    pub high: Option<f64>,
    /// What it means, instead of the layer's tone.
    pub tone: Tone,
    /// What it is.
    pub label: String,
    /// What to open for more.
    pub link: Option<String>,
}

/// Mean, median and standard deviation, as ministat draws them.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Where it is on the vertical axis.
    pub y: f64,
    /// A standard deviation below the mean.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// A standard deviation above the mean.
    pub high: f64,
    /// What it is.
    pub label: String,
}

/// A place of two axes of names.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Which name of the horizontal axis.
    pub x: usize,
    /// Which name of the vertical axis.
    pub y: usize,
    /// From 0 to 1: how strong its colour is.
    pub strength: f64,
    /// What it means, instead of the layer's tone.
    pub tone: Tone,
    /// What stands in it; short.
    pub value: String,
    /// What it is.
    pub label: String,
    /// What to open for more.
    pub link: Option<String>,
}

/// Beyond, the value written on a cell is hard to read, most so in dark pages.
const MOST_OPACITY: f64 = 0.55;

impl Cell {
    /// How strong its colour is; none where that is no number.
    pub(crate) fn opacity(&self) -> f64 {
        if self.strength.is_nan() {
            0.0
        } else {
            MOST_OPACITY * self.strength.clamp(0.0, 1.0)
        }
    }
}
