// How far a drag goes that is no click, in pixels.
const DRAG = 8;

// A mouse that chooses a part of the plot, or, with Shift, moves what is shown.
class Drag {
  constructor(plot, from, isPan) {
    Object.assign(this, { plot, from, isPan, isFar: false });
    this.shown = plot.axes.map((axis) => axis.shown);
  }

  to(place, pixel) {
    const { plot, from, shown } = this;
    this.isFar ||= Math.hypot(place[0] - from[0], place[1] - from[1]) >= DRAG * pixel;
    if (!this.isFar) return;
    plot.point();
    if (this.isPan) {
      plot.show(plot.axes.map(({ start, to }, index) => {
        const [low, high] = shown[index];
        const by = (place[index] - from[index]) / (to - start) * (high - low);
        return [low - by, high - by];
      }));
      return;
    }
    // An axis along which the mouse moves a little only stays as it is.
    const parts = plot.axes.map(({ start, to, hasNumbers }, index) => {
      const part = [from[index], clamp(place[index], start, to)].sort((a, b) => a - b);
      return hasNumbers && part[1] - part[0] >= 2 * DRAG * pixel ? part : null;
    });
    this.chosen = parts.some(Boolean) && parts;
    const [[left, right], [top, bottom]] = parts.map((part, index) => part ?? [plot.axes[index].start, plot.axes[index].to]);
    plot.place(plot.selection, { x: left, y: top, width: right - left, height: bottom - top });
    plot.selection.setAttribute("visibility", this.chosen ? "visible" : "hidden");
  }

  end(isDone) {
    const { plot, chosen } = this;
    plot.selection.setAttribute("visibility", "hidden");
    if (!isDone || !chosen) return;
    plot.show(plot.axes.map((axis, index) => chosen[index]?.map((place) => axis.shareAt(place)) ?? axis.shown));
  }
}
