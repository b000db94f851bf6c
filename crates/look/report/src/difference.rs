//! Differences and their intervals for people: as many digits as the interval carries.

use perflab_compare::{Answer, MainMode, Row};

use crate::number::{self, LONGEST, NONE, Scale};

/// A relative difference on its own: 0.0312 is `+3.1%`. Zero and what rounds to it have no sign.
pub fn percent(difference: f64) -> String {
    let fitted = Differences::percent(fitting_decimals(None, None, difference, 100.0, true));
    fitted.estimate(difference)
}

/// A relative difference with its interval: `+30% [+9, +48]`.
pub fn percent_within(difference: f64, low: f64, high: f64) -> String {
    let decimals = fitting_decimals(Some(low), Some(high), difference, 100.0, true);
    Differences::percent(decimals).answer(Estimate::new(difference, Some(low), Some(high)))
}

/// A difference of shares with its interval: `+27 points [+6, +45]`.
pub fn points_within(difference: f64, low: f64, high: f64) -> String {
    percent_within(difference, low, high).replacen('%', " points", 1)
}

/// The interval of a relative difference: `[-4.0, -2.2]%`. An end that is absent or infinite is `…`.
pub fn interval(low: Option<f64>, high: Option<f64>) -> String {
    let centre = low.or(high).unwrap_or(0.0);
    let decimals = fitting_decimals(low, high, centre, 100.0, true);
    let (low, high) = Differences::percent(decimals).ends(low, high);
    format!("[{low}, {high}]%")
}

/// A minimum detectable effect, in the digits of their intervals: 0.0269 is `2.7%`.
///
/// `row` is one of them, or what stands beside them.
pub(crate) fn mde<'a>(
    smallest: f64,
    row: &Row,
    rows: impl Iterator<Item = &'a Row> + Clone,
) -> String {
    if !row.relative {
        return number::value_with_unit(smallest, &row.key.metric.unit);
    }
    let style = Differences::of(rows.map(|row| &row.typical), true, "");
    let text = Differences::percent(style.decimals)
        .showing(smallest)
        .estimate(smallest);
    text.trim_start_matches('+').to_owned()
}

/// A difference with the interval that it is written with.
#[derive(Debug, Clone, Copy)]
pub struct Estimate {
    difference: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// Whether there is an interval, if one without ends.
    has_interval: bool,
}

impl Estimate {
    /// With no interval where it has no end.
    pub(crate) fn new(difference: f64, low: Option<f64>, high: Option<f64>) -> Self {
        Self {
            difference,
            low,
            high,
            has_interval: low.is_some() || high.is_some(),
        }
    }

    fn is_closed(&self) -> bool {
        let mut ends = [self.low, self.high].into_iter();
        ends.all(|end| end.is_some_and(f64::is_finite))
    }

    /// The difference with its interval, in a style of its own.
    pub fn text(self, row: &Row) -> String {
        Differences::of([self].into_iter(), row.relative, &row.key.metric.unit).answer(self)
    }
}

impl From<&Answer> for Estimate {
    fn from(answer: &Answer) -> Self {
        let estimate = Self::new(answer.difference, answer.low, answer.high);
        Self {
            has_interval: estimate.has_interval || answer.p_adjusted.is_some(),
            ..estimate
        }
    }
}

impl From<&MainMode> for Estimate {
    fn from(main: &MainMode) -> Self {
        Self::new(main.difference, main.low, main.high)
    }
}

/// How the differences of one column, or of one row, are written.
#[derive(Debug, Clone, Copy)]
pub struct Differences {
    scale: Scale,
    percent: bool,
    decimals: usize,
    /// Whether figures have an exponent, as no decimals show them.
    tiny: bool,
}

impl Differences {
    fn percent(decimals: usize) -> Self {
        Self {
            scale: Scale::PERCENT,
            percent: true,
            decimals,
            tiny: false,
        }
    }

    /// A common style for answers in a column: the median of the decimals that their intervals ask for,
    /// as a column is read by comparing its cells.
    pub(crate) fn of<E: Into<Estimate>>(
        estimates: impl Iterator<Item = E> + Clone,
        relative: bool,
        unit: &str,
    ) -> Self {
        let estimates = estimates.map(Into::into);
        let style = if relative {
            Self::percent(0)
        } else {
            let figures: Vec<f64> = estimates
                .clone()
                .flat_map(|a: Estimate| [Some(a.difference), a.low, a.high])
                .flatten()
                .collect();
            Self {
                scale: Scale::of(&figures, unit),
                percent: false,
                decimals: 0,
                tiny: false,
            }
        };
        let closed = estimates.clone().filter(Estimate::is_closed);
        // An interval without a width asks for no digits, where another one has a width.
        let has_width = closed.clone().any(|one| one.low != one.high);
        let telling = closed.filter(|one| !has_width || one.low != one.high);
        let mut decimals: Vec<usize> = telling.map(|one| style.fitting(one)).collect();
        decimals.sort_unstable();
        let median = decimals.get(decimals.len() / 2).copied();
        let coarsest = || estimates.map(|one| style.fitting(one)).min();
        Self {
            decimals: median.or_else(coarsest).unwrap_or(1),
            ..style
        }
    }

    /// The same with as many decimals more as it takes to tell two figures apart.
    pub(crate) fn telling_apart(self, a: f64, b: f64) -> Self {
        let with = |decimals| Self { decimals, ..self };
        let apart = (self.decimals..=MOST_DECIMALS)
            .map(with)
            .find(|style| style.bare(a) != style.bare(b));
        apart.unwrap_or(self)
    }

    /// The same with no more decimals than that.
    pub(crate) fn at_most(self, decimals: Option<usize>) -> Self {
        Self {
            decimals: self.decimals.min(decimals.unwrap_or(usize::MAX)),
            ..self
        }
    }

    fn fitting(
        self,
        Estimate {
            difference,
            low,
            high,
            ..
        }: Estimate,
    ) -> usize {
        fitting_decimals(low, high, difference, self.scale.factor, self.percent)
    }

    /// The style for one answer: more decimals where an end that is not zero would be rounded to it,
    /// as the reader looks for zero in the interval; and figures that are all below any decimals with an exponent.
    pub(crate) fn for_answer(self, estimate: impl Into<Estimate>) -> Self {
        let Estimate { low, high, .. } = estimate.into();
        match (low, high) {
            (Some(low), _) if low > 0.0 => self.showing(low),
            (_, Some(high)) if high < 0.0 => self.showing(high),
            // Around zero the wider end shows how far the interval goes.
            (Some(low), Some(high)) => self.showing(high.max(-low)),
            _ => self,
        }
    }

    /// The style in which a figure that is not zero does not look like it.
    fn showing(self, figure: f64) -> Self {
        let visible = (self.decimals..=MOST_DECIMALS)
            .find(|&decimals| !is_zero(&fixed(figure * self.scale.factor, decimals)));
        Self {
            decimals: visible.unwrap_or(self.decimals),
            tiny: visible.is_none() && figure != 0.0 && figure.is_finite(),
            ..self
        }
    }

    /// The difference with its unit: `-3.1%`, `+1.20 ms`.
    pub fn estimate(self, difference: f64) -> String {
        let unit = if self.percent {
            "%".to_owned()
        } else {
            self.scale.unit()
        };
        match self.bare(difference) {
            text if text == NONE => text,
            text => text + &unit,
        }
    }

    /// The ends of an interval, without unit.
    pub(crate) fn ends(self, low: Option<f64>, high: Option<f64>) -> (String, String) {
        let end = |end: Option<f64>| end.map_or_else(|| NONE.to_owned(), |end| self.bare(end));
        (end(low), end(high))
    }

    /// The difference and its interval: `-3.1% [-4.0, -2.2]`.
    pub fn answer(self, estimate: impl Into<Estimate>) -> String {
        let estimate = estimate.into();
        let style = self.for_answer(estimate);
        let difference = style.estimate(estimate.difference);
        match style.interval(estimate) {
            Some((low, high)) => format!("{difference} [{low}, {high}]"),
            None => difference,
        }
    }

    /// The ends of its interval, without unit, if it has one.
    pub(crate) fn interval(self, estimate: Estimate) -> Option<(String, String)> {
        let Estimate { low, high, .. } = estimate;
        estimate.has_interval.then(|| self.ends(low, high))
    }

    fn bare(self, difference: f64) -> String {
        let longest = match self.percent {
            true => LONGEST_PERCENT,
            false => LONGEST,
        };
        match difference * self.scale.factor {
            value if value.is_finite() && value.abs() >= longest => format!("{value:+.3e}"),
            value if self.tiny && value != 0.0 && value.is_finite() => format!("{value:+.2e}"),
            value => fixed(value, self.decimals),
        }
    }
}

/// More decimals than this tell nothing about measurements.
const MOST_DECIMALS: usize = 6;

/// From here on a percentage is written with an exponent: nobody reads its digits.
const LONGEST_PERCENT: f64 = 1e6;

/// Decimals that leave an interval one digit or two that move; without one, the difference two.
fn fitting_decimals(
    low: Option<f64>,
    high: Option<f64>,
    difference: f64,
    factor: f64,
    percent: bool,
) -> usize {
    let half_width = match (low, high) {
        (Some(low), Some(high)) => (high - low) / 2.0,
        _ => difference.abs() / 10.0,
    } * factor.abs();
    if !half_width.is_finite() || half_width <= 0.0 {
        return 1;
    }
    let wanted = 1.0 - (4.0 * half_width).log10().floor();
    // A whole per cent is too coarse for a difference that matters, unless the interval is wide.
    let least = if percent && half_width < 10.0 {
        1.0
    } else {
        0.0
    };
    if wanted <= MOST_DECIMALS as f64 {
        return wanted.max(least) as usize;
    }
    // What is so fine that all figures end with zeros shows none of them: -100.000000%.
    let figures = [Some(difference), low, high].into_iter().flatten();
    let texts: Vec<String> = figures
        .map(|figure| fixed(figure * factor, MOST_DECIMALS))
        .collect();
    let zeros = texts
        .iter()
        .map(|text| text.len() - text.trim_end_matches('0').len());
    let zeros = zeros.min().unwrap_or(0).min(MOST_DECIMALS);
    (MOST_DECIMALS - zeros).max(least as usize)
}

/// A number with sign and decimals; never a negative zero.
fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let text = format!("{value:+.decimals$}");
    if is_zero(&text) {
        text.trim_start_matches(['+', '-']).to_owned()
    } else {
        text
    }
}

fn is_zero(number: &str) -> bool {
    !number.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_a_sign_unless_it_is_zero() {
        let cases = [
            (-0.0312, "-3.1%"),
            (0.0004, "+0.040%"),
            (-0.000_000_000_1, "0.0%"),
            (-0.0, "0.0%"),
            (5.0, "+500%"),
            (9999.0, "+999900%"),
            (9_829_876.543_21, "+9.830e8%"),
            (1e300, "+1.000e302%"),
            (f64::INFINITY, "…"),
        ];
        for (number, text) in cases {
            assert_eq!(percent(number), text, "{number}");
        }
    }

    #[test]
    fn an_interval_shows_what_it_lacks() {
        assert_eq!(interval(Some(-0.04), Some(-0.022)), "[-4.0, -2.2]%");
        assert_eq!(interval(Some(-0.000_4), Some(0.000_3)), "[-0.04, +0.03]%");
        assert_eq!(interval(None, Some(0.1)), "[…, +10.0]%");
        let tiny = [1.0 - 1e-12, 1.0 - 2e-12].map(|less| Some(-less));
        assert_eq!(interval(tiny[0], tiny[1]), "[-100.0, -100.0]%");
        assert_eq!(interval(Some(f64::NEG_INFINITY), None), "[…, …]%");
    }

    #[test]
    fn an_end_that_is_not_zero_never_looks_like_zero() {
        let near = Estimate::new(0.01, Some(0.000_2), Some(0.02));
        let style = Differences::of([near].into_iter(), true, "1/s");
        assert_eq!(style.answer(near), "+1.00% [+0.02, +2.00]");
        let across = Estimate::new(0.01, Some(-0.000_2), Some(0.02));
        assert_eq!(style.answer(across), "+1.0% [0.0, +2.0]");
    }

    #[test]
    fn what_no_decimals_show_has_an_exponent() {
        let written = |difference, low, high| {
            let estimate = Estimate::new(difference, Some(low), Some(high));
            let style = Differences::of([estimate].into_iter(), true, "1/s");
            style.answer(estimate)
        };
        let tiny = written(3e-12, 2e-12, 4e-12);
        assert_eq!(tiny, "+3.00e-10% [+2.00e-10, +4.00e-10]");
        let down = written(-3e-12, -4e-12, -2e-12);
        assert_eq!(down, "-3.00e-10% [-4.00e-10, -2.00e-10]");
        let across = written(1e-12, -1e-12, 3e-12);
        assert_eq!(across, "+1.00e-10% [-1.00e-10, +3.00e-10]");
        let beside = written(1e-3, 2e-12, 2e-3);
        assert_eq!(beside, "+1.00e-1% [+2.00e-10, +2.00e-1]");
        assert_eq!(written(0.0, 0.0, 0.0), "0.0% [0.0, 0.0]");
        assert_eq!(
            written(1e-8, -1e-8, 3e-8),
            "+0.000001% [-0.000001, +0.000003]"
        );
    }

    #[test]
    fn an_interval_around_zero_shows_its_width_in_a_column_of_others() {
        let [none, narrow] = [0.0, 0.004].map(|end| Estimate::new(0.0, Some(-end), Some(end)));
        let wide = Estimate::new(2.0, Some(-3.0), Some(7.0));
        let of = |column: &[Estimate]| Differences::of(column.iter().copied(), false, "s");
        let column = [none, none, none, narrow, wide, wide];
        assert_eq!(of(&column).answer(narrow), "0.000 s [-0.004, +0.004]");
        assert_eq!(of(&column[..4]).answer(narrow), "0 ms [-4, +4]");
    }

    #[test]
    fn absolute_differences_carry_their_unit() {
        let slower = Estimate::new(0.0012, Some(0.0009), Some(0.0015));
        let style = Differences::of([slower].into_iter(), false, "s");
        assert_eq!(style.answer(slower), "+1.2 ms [+0.9, +1.5]");
        let more = Estimate::new(12.0, Some(-3.0), Some(27.0));
        let style = Differences::of([more].into_iter(), false, "faults");
        assert_eq!(style.answer(more), "+12 [-3, +27]");
    }
}
