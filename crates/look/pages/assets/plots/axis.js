// Plots to interact with: values at the mouse, zoom, series to leave out, a picture to save; by mouse, keyboard, touch.
//
// The drawings of the page hold all that is needed. In a path of marks, a command with a capital letter is a place on
// the axes, which moves as one zooms. A command with a small letter is a shape, which keeps its size. Nothing is
// animated. All files of this folder are one script, in the order of `assets.rs`.

// The smallest share of an axis to be shown: places are written to about a millionth of it.
const LEAST = 0.001;

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const rounded = (value) => Math.round(value * 10) / 10;

// Numbers on an axis and their labels, as the drawing has them before one zooms.
const labelOf = (at, power, largest) => {
  if (Math.abs(at) < largest * 1e-12) return "0";
  if (largest < 1e-6 || largest >= 1e7) {
    const decimals = clamp(Math.floor(Math.log10(largest)) - power, 0, 15);
    const [number, exponent] = at.toExponential(decimals).split("e");
    return `${number.includes(".") ? number.replace(/\.?0+$/, "") : number}e${Number(exponent)}`;
  }
  return at.toFixed(clamp(-power, 0, 17));
};
const ticksOf = ([low, high], most) => {
  const least = Math.floor(Math.log10((high - low) / most));
  const largest = Math.max(Math.abs(low), Math.abs(high));
  for (const power of [least, least + 1]) {
    for (const step of [1, 2, 5].map((digit) => digit * 10 ** power)) {
      if (!(step > 0 && Math.floor((high - low) / step) < most)) continue;
      const first = Math.ceil(low / step);
      const places = Array.from({ length: most }, (_, index) => (first + index) * step);
      return places.filter((at) => at <= high).map((at) => ({ at, text: labelOf(at, power, largest) }));
    }
  }
  return [];
};

// An axis from one place of the drawing to another. Shares of it go from 0, on the left or on top, to 1.
class Axis {
  constructor(group, title, from, to) {
    const { low, high } = group.dataset;
    Object.assign(this, { group, from, to });
    this.title = title?.textContent ?? "";
    this.ticks = [...group.childNodes];
    this.hasNumbers = low !== undefined;
    this.ends = [Number(low), Number(high)];
    if (group.dataset.axis === "y") this.ends.reverse();
    // The part of it that is shown, and where in the drawing that begins.
    this.shown = [0, 1];
    this.start = from;
  }

  get isWhole() {
    return this.shown[1] - this.shown[0] === 1;
  }

  // The lowest and the highest value that are shown.
  get range() {
    return this.shown.map((share) => this.ends[0] + share * (this.ends[1] - this.ends[0])).sort((a, b) => a - b);
  }

  show([from, to]) {
    if (!this.hasNumbers) return;
    const span = clamp(to - from, LEAST, 1);
    const start = clamp((from + to - span) / 2, 0, 1 - span);
    this.shown = span > 0.999999 ? [0, 1] : [start, start + span];
  }

  // From a place in the whole drawing to its share, and to where it is shown.
  share(place) {
    return (place - this.from) / (this.to - this.from);
  }

  // A function, as it is asked for every mark.
  places(shown) {
    const scale = (this.to - this.start) / (shown[1] - shown[0]);
    return (place) => this.start + (this.share(place) - shown[0]) * scale;
  }

  placeOfValue(value) {
    const share = (value - this.ends[0]) / (this.ends[1] - this.ends[0]);
    return rounded(this.start + (share - this.shown[0]) / (this.shown[1] - this.shown[0]) * (this.to - this.start));
  }

  // The share of the axis that is shown at a place.
  shareAt(place) {
    const part = (place - this.start) / (this.to - this.start);
    return this.shown[0] + part * (this.shown[1] - this.shown[0]);
  }

  // The part to be shown so that it is a factor as long, and a share stays at its place.
  scaled(factor, share, place) {
    const span = clamp((this.shown[1] - this.shown[0]) * factor, LEAST, 1);
    const start = clamp(share - span * (place - this.start) / (this.to - this.start), 0, 1 - span);
    return [start, start + span];
  }

  // The value at a place of the whole drawing in words, to about a thousandth of what is shown.
  words(place) {
    const [low, high] = this.range;
    const value = this.ends[0] + this.share(place) * (this.ends[1] - this.ends[0]);
    const power = Math.floor(Math.log10((high - low) / 1000));
    return `${this.title} ${labelOf(value, power, Math.max(Math.abs(low), Math.abs(high)))}`.trim();
  }
}
