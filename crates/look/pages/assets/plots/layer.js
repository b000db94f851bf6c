// Most points of a layer that are drawn while something moves.
const MANY = 2000;

const NUMBERS = /-?[\d.]+/g;
const POINTS = /M(-?[\d.]+) (-?[\d.]+)([^M]*)/g;

// The commands of a path: with its numbers where it is a place, as text where it is a shape.
const commandsOf = (path) => [...path.getAttribute("d").matchAll(/([A-Za-z])([^A-Za-z]*)/g)]
  .map(([whole, letter, rest]) => /[a-z]/.test(letter) ? whole : [letter, ...(rest.match(NUMBERS) ?? []).map(Number)]);

// The path of these commands, elsewhere.
const moved = (commands, [across, up]) => commands.map((command) => {
  if (!Array.isArray(command)) return command;
  const [letter, ...numbers] = command;
  const isUp = (index) => letter === "V" || index === 1;
  return letter + numbers.map((number, index) => rounded((isUp(index) ? up : across)(number))).join(" ");
}).join("");

// Takes the words of a mark out of the drawing: browsers would show them a second time.
const takeTitle = (element) => {
  const title = element.querySelector("title");
  title?.remove();
  return title?.textContent;
};

// The marks in a group, by its kind. A mark has its place in the whole drawing and the corners of its reach, and may
// have words and a link.
const READ = {
  points(group) {
    const [first, ...others] = group.querySelectorAll("path");
    const marks = [first, ...others].filter(Boolean).flatMap((path) => {
      const links = path.dataset.links?.split(" ") ?? [path.parentElement.dataset.link];
      const text = takeTitle(path);
      return [...path.getAttribute("d").matchAll(POINTS)].map(([, x, y], index) => {
        return { x: Number(x), y: Number(y), text, link: links[index] };
      });
    });
    others.forEach((path) => path.remove());
    return marks;
  },
  lines(group) {
    return [...group.children].flatMap(commandsOf).map(([, x, y]) => ({ x, y }));
  },
  intervals(group) {
    return [...group.children].map((element) => {
      const [line, middle] = element.querySelectorAll("path");
      const [[, x, y]] = commandsOf(middle);
      const [[, from], [, to]] = commandsOf(line);
      return { x, y, reach: [from, y, to, y], text: takeTitle(element), link: element.dataset.link };
    });
  },
  cells(group) {
    return [...group.children].map((element) => {
      const rect = element.querySelector("rect");
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
      const place = { x: x + width / 2, y: y + height / 2, reach: [x, y, x + width, y + height] };
      return { ...place, text: takeTitle(element), link: element.dataset.link };
    });
  },
};
READ.summaries = READ.intervals;

// Marks of one kind and one meaning.
class Layer {
  constructor(group, name) {
    this.group = group;
    this.name = name;
    this.isOff = false;
    this.isPoints = group.dataset.marks === "points";
    [, this.shape] = /^M\S+ [-\d.]+([a-z][^M]*)/.exec(group.querySelector("path")?.getAttribute("d")) ?? [];
    this.marks = READ[group.dataset.marks]?.(group) ?? [];
    this.paths = [...group.querySelectorAll("path")].map((path) => ({ path, commands: this.isPoints || commandsOf(path) }));
  }

  leaveOut(isOff) {
    this.isOff = isOff;
    this.group.classList.toggle("is-off", isOff);
  }

  // While something moves, of very many points only some are drawn.
  draw(places, isWithin, isMoving) {
    for (const { path, commands } of this.paths) {
      path.setAttribute("d", this.isPoints ? this.points(places, isWithin, isMoving) : moved(commands, places));
    }
  }

  // All points in one path, which browsers draw faster, as far as they are shown.
  points([across, up], isWithin, isMoving) {
    const shown = this.marks.map(({ x, y }) => [across(x), up(y)]).filter(([x, y]) => isWithin(x, y));
    const step = isMoving ? Math.ceil(shown.length / MANY) : 1;
    let path = "";
    for (let index = 0; index < shown.length; index += step) {
      const [x, y] = shown[index];
      path += `M${rounded(x)} ${rounded(y)}${this.shape}`;
    }
    return path;
  }
}
