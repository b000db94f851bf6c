// How far from a mark one may point, in pixels.
const NEAR = 24;
// Milliseconds without a change after which nothing moves.
const REST = 150;

// Plots are whole on paper.
let isOnPaper = false;
const all = new Set();
const print = (isBegun) => {
  isOnPaper = isBegun;
  for (const plot of all) plot.draw();
};
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
matchMedia("print").addEventListener("change", ({ matches }) => print(matches));

const made = (name, attributes, ...content) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
};
// As wide as digits are in any font of the page.
const widthOf = (text) => text.length * 7.7;

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.hint = figure.querySelector(".hint");
    this.frame = this.svg.querySelector(".frame");
    [, , this.width, this.height] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    const [left, top, bottom, right] = this.frame.getAttribute("d").match(NUMBERS).map(Number);
    const [across, up] = this.svg.querySelectorAll("[data-axis]");
    const titles = [...this.svg.querySelectorAll(".axis")];
    const isAcross = (title) => title.getAttribute("text-anchor") === "middle";
    this.x = new Axis(across, titles.find(isAcross), left, right);
    this.y = new Axis(up, titles.find((title) => !isAcross(title)), top, bottom);
    this.axes = [this.x, this.y];
    const names = [...this.svg.querySelectorAll(".legend text")].map((text) => text.textContent);
    const groups = [...this.svg.querySelectorAll("[data-marks]")];
    this.layers = groups.map((group) => new Layer(group, names[group.dataset.entry]));
    // The points that a line joins have words, and the line has none.
    const seriesOf = ({ group }) => `${group.getAttribute("class")} ${group.dataset.entry}`;
    const joined = new Set(this.layers.filter(({ isPoints }) => isPoints).map(seriesOf));
    for (const layer of this.layers) if (layer.isLine && joined.has(seriesOf(layer))) layer.marks = [];
    const id = `${figure.querySelector("desc").id}-clip`;
    for (const { group, isPoints } of this.layers) if (!isPoints) group.setAttribute("clip-path", `url(#${id})`);
    this.clip = made("rect", {});
    this.ring = made("rect", { class: "current", rx: 4, visibility: "hidden" });
    this.selection = made("rect", { class: "selection", visibility: "hidden" });
    this.svg.append(made("clipPath", { id }, this.clip), this.selection, this.ring);
    all.add(this);
    this.draw();
  }

  get canZoom() {
    return this.axes.some((axis) => axis.hasNumbers);
  }

  // Where places in the whole drawing are shown; on paper that is the whole.
  get places() {
    return this.axes.map((axis) => axis.places(isOnPaper ? [0, 1] : axis.shown));
  }

  isWithin = (x, y) => x >= this.x.start - 1 && x <= this.x.to + 1 && y >= this.y.from - 1 && y <= this.y.to + 1;

  // Shows a part of each axis, from the next frame on.
  show(parts) {
    this.axes.forEach((axis, index) => axis.show(parts[index]));
    this.frameAsked ??= requestAnimationFrame(() => this.draw(true));
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.draw(), REST);
  }

  showAll() {
    this.show([[0, 1], [0, 1]]);
  }

  // Zooms by a factor around a place, the current mark or the middle.
  zoom(factor, place) {
    const [left, top, right, bottom] = this.current ? this.boxOf(this.current) : [this.x.start, this.y.from, this.x.to, this.y.to];
    const around = place ?? [(left + right) / 2, (top + bottom) / 2];
    this.show(this.axes.map((axis, index) => axis.scaled(factor, axis.shareAt(around[index]), around[index])));
  }

  draw(isMoving = false) {
    this.frameAsked = null;
    this.figure.classList.toggle("is-zoomed", this.axes.some((axis) => !axis.isWhole));
    this.drawAxes();
    const box = { x: this.x.start, y: this.y.from, width: this.x.to - this.x.start, height: this.y.to - this.y.from };
    this.place(this.clip, box);
    for (const layer of this.layers) layer.draw(this.places, this.isWithin, isMoving);
    this.point(this.current);
    if (!isMoving) offerBetween(this);
  }

  drawAxes() {
    const { x, y } = this;
    const [isWhole, isHigh] = this.axes.map((axis) => axis.isWhole || isOnPaper);
    const up = isHigh ? [] : ticksOf(y.range, 7);
    // Long numbers on the left need more room.
    x.start = Math.max(x.from, ...up.map(({ text }) => widthOf(text) + 14));
    this.frame.setAttribute("d", `M${x.start} ${y.from}V${y.to}H${x.to}`);
    const levels = up.flatMap(({ at, text }) => {
      const place = y.placeOfValue(at);
      return [made("path", { class: "grid", d: `M${x.start} ${place}H${x.to}` }),
        made("text", { x: x.start - 7, y: place + 4, "text-anchor": "end" }, text)];
    });
    y.group.replaceChildren(...(isHigh ? y.ticks : levels));
    const room = x.to - x.start;
    let most = Math.floor(room / 80);
    const across = () => ticksOf(x.range, most);
    while (most > 2 && across().some(({ text }) => widthOf(text) + 12 > room / most)) most -= 1;
    const columns = () => across().flatMap(({ at, text }) => {
      const [place, half] = [x.placeOfValue(at), widthOf(text) / 2];
      return [made("path", { class: "grid", d: `M${place} ${y.from}V${y.to}` }),
        made("text", { x: clamp(place, half, this.width - half), y: y.to + 15, "text-anchor": "middle" }, text)];
    });
    const isAsBefore = !x.hasNumbers || (isWhole && x.start === x.from);
    x.group.replaceChildren(...(isAsBefore ? x.ticks : columns()));
  }

  place(rect, box) {
    for (const [key, value] of Object.entries(box)) rect.setAttribute(key, rounded(value));
  }

  // Where a mouse or a finger is in the drawing, and how large a pixel is there.
  placeOf({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const pixel = this.width / box.width;
    return [(clientX - box.left) * pixel, (clientY - box.top) * pixel, pixel];
  }

  // The corners of what is shown of a mark; nothing if it is elsewhere.
  boxOf({ x, y, reach: [left, top, right, bottom] = [x, y, x, y] }, [across, up] = this.places) {
    const box = [across(left), up(top), across(right), up(bottom)];
    if (box[0] > this.x.to + 1 || box[2] < this.x.start - 1 || box[1] > this.y.to + 1 || box[3] < this.y.from - 1) return null;
    return [Math.max(box[0], this.x.start), box[1], Math.min(box[2], this.x.to), box[3]];
  }

  nearest(event) {
    const [x, y, pixel] = this.placeOf(event);
    const places = this.places;
    let [found, least] = [undefined, (NEAR * pixel) ** 2];
    for (const { marks, isOff } of this.layers) {
      for (const mark of isOff ? [] : marks) {
        const box = this.boxOf(mark, places);
        if (!box) continue;
        const distance = Math.max(box[0] - x, 0, x - box[2]) ** 2 + Math.max(box[1] - y, 0, y - box[3]) ** 2;
        if (distance <= least) [found, least] = [mark, distance];
      }
    }
    return found;
  }

  // Points out a mark, or none, and says what it is. A finger gets a link, as its click points.
  point(mark, isTouched = false) {
    const box = mark && this.boxOf(mark);
    this.current = box ? mark : undefined;
    this.svg.classList.toggle("has-link", Boolean(box && mark.link));
    this.ring.setAttribute("visibility", box ? "visible" : "hidden");
    if (!box) {
      this.say("");
      return;
    }
    const [left, top, right, bottom] = box;
    this.place(this.ring, { x: left - 6, y: top - 6, width: right - left + 12, height: bottom - top + 12 });
    this.say(mark.text ?? this.wordsOf(mark), isTouched && mark.link);
    this.lay();
  }

  // Points that are too many to have a text say where they are.
  wordsOf(mark) {
    const { name } = this.layers.find(({ marks }) => marks.includes(mark));
    const places = [[this.x, mark.x], [this.y, mark.y]].filter(([axis]) => axis.hasNumbers);
    return [...(name ? [name] : []), ...places.map(([axis, place]) => axis.words(place))].join("\n");
  }

  say(text, link) {
    if (this.hint.textContent === text) return;
    this.hint.textContent = text;
    if (!link) return;
    const open = document.createElement("a");
    open.href = link;
    open.textContent = "Open";
    this.hint.append("\n", open);
  }

  // Puts the words above the mark, or below where there is no room.
  lay() {
    const mark = this.ring.getBoundingClientRect();
    const figure = this.figure.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.hint;
    const left = clamp((mark.left + mark.right - width) / 2 - figure.left, 0, Math.max(0, figure.width - width));
    const above = mark.top - figure.top - height - 4;
    this.hint.style.left = `${left}px`;
    this.hint.style.top = `${above >= 0 ? above : mark.bottom - figure.top + 4}px`;
  }

  // Points out a mark that may be elsewhere: it comes to the middle.
  reach(mark) {
    if (!this.boxOf(mark)) {
      const places = [mark.x, mark.y];
      this.show(this.axes.map((axis, index) => {
        const [middle, half] = [axis.share(places[index]), (axis.shown[1] - axis.shown[0]) / 2];
        return [middle - half, middle + half];
      }));
      this.draw();
    }
    this.point(mark);
    this.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.lay();
  }

  leaveOut(entry, isOff) {
    for (const layer of this.layers) if (layer.group.dataset.entry === entry) layer.leaveOut(isOff);
    this.point();
  }

  follow(mark) {
    if (mark?.link) location.href = mark.link;
  }
}
