// Milliseconds in which a second click makes a double one.
const DOUBLE_CLICK = 300;
const STEP = 1.5;
const HELP = "Arrow keys lead from mark to mark, also Page Up, Page Down, Home and End. Enter opens what is behind a mark, " +
  "+ and − zoom, Escape shows the whole plot, S saves a picture.";

const isFinger = ({ pointerType }) => pointerType === "touch";

const listenToMouse = (svg, plot, isThere) => {
  let drag;
  svg.addEventListener("pointermove", (event) => {
    // A mouse that rests on a page that is scrolled moves by nothing, and asks for nothing.
    if (isFinger(event) || (!isThere() && event.movementX === 0 && event.movementY === 0)) return;
    const [x, y, pixel] = plot().placeOf(event);
    if (drag) drag.to([x, y], pixel);
    else plot().point(plot().nearest(event));
  });
  svg.addEventListener("pointerleave", (event) => {
    if (!isFinger(event) && !drag && isThere()) plot().point();
  });
  svg.addEventListener("pointerdown", (event) => {
    const place = isFinger(event) || event.button !== 0 || plot().placeOf(event);
    drag = null;
    if (place === true || !plot().canZoom || !plot().isWithin(...place)) return;
    svg.setPointerCapture(event.pointerId);
    drag = new Drag(plot(), place.slice(0, 2), event.shiftKey);
  });
  let isDragged = false;
  const end = (isDone) => {
    isDragged = drag?.isFar ?? false;
    drag?.end(isDone);
    drag = null;
  };
  svg.addEventListener("pointerup", () => end(true));
  svg.addEventListener("pointercancel", () => end(false));
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && drag) end(false);
  });
  // Two clicks show the whole plot. They do not follow the mark that happens to be there.
  let following;
  svg.addEventListener("click", (event) => {
    clearTimeout(following);
    if (isDragged || event.target.closest(".legend")) return;
    const mark = plot().nearest(event);
    if (isFinger(event)) plot().point(mark, true);
    else if (event.detail < 2) following = setTimeout(() => plot().follow(mark), DOUBLE_CLICK);
  });
  svg.addEventListener("dblclick", (event) => {
    clearTimeout(following);
    if (!event.target.closest(".legend")) plot().showAll();
  });
  // Without Ctrl a wheel scrolls the page. Two fingers on a touchpad send it with Ctrl.
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    plot().zoom(Math.exp(clamp(pixels, -25, 25) / 100), plot().placeOf(event));
  }, { passive: false });
};

// One finger scrolls the page, two zoom: what is between them stays there.
const listenToFingers = (svg, plot) => {
  let before;
  const pair = (touches) => {
    const [[x1, y1], [x2, y2]] = [...touches].map((touch) => plot().placeOf(touch));
    const middle = [(x1 + x2) / 2, (y1 + y2) / 2];
    return { middle, apart: Math.hypot(x2 - x1, y2 - y1), shares: plot().axes.map((axis, index) => axis.shareAt(middle[index])) };
  };
  svg.addEventListener("touchstart", ({ touches }) => {
    before = touches.length === 2 && plot().canZoom ? pair(touches) : null;
  }, { passive: true });
  svg.addEventListener("touchmove", (event) => {
    if (!before || event.touches.length !== 2) return;
    event.preventDefault();
    const now = pair(event.touches);
    plot().point();
    plot().show(plot().axes.map((axis, index) => axis.scaled(before.apart / now.apart, before.shares[index], now.middle[index])));
    before = { ...now, shares: plot().axes.map((axis, index) => axis.shareAt(now.middle[index])) };
  }, { passive: false });
};

const listenToKeys = (drawing, plot) => {
  const zoomIn = () => plot().zoom(1 / STEP);
  const actions = {
    "+": zoomIn, "=": zoomIn, "-": () => plot().zoom(STEP), s: () => savePicture(plot()),
    Enter: () => plot().follow(plot().current),
    Escape() {
      plot().point();
      plot().showAll();
    },
  };
  drawing.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, altKey, metaKey } = event;
    const isStep = /^(Arrow(Left|Right|Up|Down)|Page(Up|Down)|Home|End)$/.test(key);
    if (target !== drawing || ctrlKey || altKey || metaKey || !(isStep || key in actions)) return;
    event.preventDefault();
    const mark = isStep && walk(plot(), key);
    if (mark) plot().reach(mark);
    else actions[key]?.();
  });
  drawing.addEventListener("focus", () => {
    if (!drawing.matches(":focus-visible") || plot().current) return;
    plot().say(HELP);
    Object.assign(plot().hint.style, { left: "0", top: "100%" });
  });
  drawing.addEventListener("blur", ({ relatedTarget }) => {
    if (!relatedTarget?.closest(".tools, .hint")) plot().point();
  });
};

const button = (text, name, act) => {
  const found = document.createElement("button");
  found.type = "button";
  // There is a key for each, so that nobody has to pass them by keyboard.
  found.tabIndex = -1;
  found.textContent = text;
  found.ariaLabel = found.title = name;
  found.addEventListener("click", act);
  return found;
};

const addTools = (figure, plot, canZoom) => {
  const zooms = [
    button("Whole plot", "Show the whole plot (two clicks, or Escape)", () => plot().showAll()),
    button("−", "Zoom out", () => plot().zoom(STEP)), button("+", "Zoom in", () => plot().zoom(1 / STEP)),
  ];
  zooms[0].className = "whole";
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(...(canZoom ? zooms : []), button("Save", "Save a picture", () => savePicture(plot())));
  const hint = document.createElement("div");
  hint.className = "hint";
  hint.setAttribute("role", "status");
  figure.append(tools, hint);
};

// A click on a name leaves its series out.
const listenToLegend = (entry, index, plot) => {
  for (const [key, value] of Object.entries({ role: "button", tabindex: 0, "aria-pressed": true })) entry.setAttribute(key, value);
  const toggle = () => {
    const isOff = entry.ariaPressed === "true";
    entry.ariaPressed = String(!isOff);
    plot().leaveOut(String(index), isOff);
  };
  entry.addEventListener("click", toggle);
  entry.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle();
  });
};

// A plot is read when somebody first points at it, taps it or comes to it by keyboard.
for (const figure of document.querySelectorAll("figure.plot")) {
  let read;
  const plot = () => read ??= new Plot(figure);
  const drawing = figure.querySelector(".drawing");
  const svg = drawing.querySelector("svg");
  // The plot gets the keys, and its parts can be reached. Its name is that of the element around it.
  drawing.setAttribute("role", "application");
  drawing.setAttribute("aria-roledescription", "plot");
  drawing.setAttribute("aria-describedby", svg.querySelector(":scope > desc").id);
  svg.setAttribute("role", "presentation");
  svg.removeAttribute("aria-labelledby");
  svg.querySelector(":scope > title").remove();
  addTools(figure, plot, svg.querySelector("[data-low]") !== null);
  svg.querySelectorAll(".legend").forEach((entry, index) => listenToLegend(entry, index, plot));
  listenToMouse(svg, plot, () => read !== undefined);
  listenToFingers(svg, plot);
  listenToKeys(drawing, plot);
  drawing.addEventListener("scroll", () => {
    if (read?.current) read.lay();
  });
}
