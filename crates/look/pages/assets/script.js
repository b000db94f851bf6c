// What pages can do where scripts may run: sort and filter tables, and plots to hover over, zoom into and filter.
// Everything is there without it, too.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");

  // A server has more than this result; a folder has not.
  if (location.protocol.startsWith("http") && location.pathname.startsWith("/results/")) {
    const all = document.createElement("a");
    all.href = "/";
    all.textContent = "All results";
    document.querySelector("header nav")?.append(all);
  }

  // Tables: a click on a header sorts by its column, by `data-value` where cells have one.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const text = (cell?.dataset.value ?? cell?.textContent ?? "").trim();
    const number = Number(text);
    return text !== "" && Number.isFinite(number) ? number : text;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  const sort = (table, column, descending) => {
    const headers = [...table.tHead.rows[0].cells];
    for (const header of headers) header.removeAttribute("aria-sort");
    headers[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([a], [b]) => (descending ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  };
  const tables = () => document.querySelectorAll("table[data-sortable]");
  const makeSortable = () => {
    for (const table of tables()) {
      [...table.tHead.rows[0].cells].forEach((header, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...header.childNodes);
        header.append(button);
        button.addEventListener("click", () => {
          sort(table, column, header.getAttribute("aria-sort") === "ascending");
        });
      });
    }
  };
  makeSortable();
  for (const input of document.querySelectorAll("input[data-filter]")) {
    const table = document.getElementById(input.dataset.filter);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
  }

  // A running experiment: the page is asked for again and again, and its content takes the place of what is there.
  // Where the keyboard is and how tables are sorted stays.
  const reached = () => [...document.querySelectorAll("main :is(a, button, summary, [tabindex])")];
  const called = (element) => [element.tagName, element.getAttribute("href"), element.ariaLabel].join(" ");
  const renew = (main) => {
    const order = [...tables()].map((table) => {
      const column = [...table.tHead.rows[0].cells].findIndex((header) => header.hasAttribute("aria-sort"));
      return [column, column >= 0 && table.tHead.rows[0].cells[column].ariaSort === "descending"];
    });
    const name = called(document.activeElement);
    const alike = () => reached().filter((element) => called(element) === name);
    const place = alike().indexOf(document.activeElement);
    document.getElementById("main").replaceChildren(...main.childNodes);
    makeSortable();
    [...tables()].forEach((table, index) => {
      const [column, descending] = order[index] ?? [-1];
      if (column >= 0) sort(table, column, descending);
    });
    if (place >= 0) alike()[place]?.focus({ preventScroll: true });
  };
  if (document.querySelector("[data-live]") && location.protocol.startsWith("http")) {
    const pause = document.createElement("button");
    pause.type = "button";
    pause.textContent = "Pause";
    pause.title = "Leave the page as it is while the experiment goes on";
    pause.ariaPressed = "false";
    pause.addEventListener("click", () => {
      pause.ariaPressed = String(pause.ariaPressed === "false");
    });
    document.querySelector("header nav").append(pause);
    // Nor while it cannot be seen, or somebody marks text in it.
    const waits = document.createElement("span");
    waits.setAttribute("role", "status");
    document.querySelector("header nav").append(waits);
    const isMarked = () => {
      const selection = getSelection();
      return !selection.isCollapsed && selection.containsNode(document.getElementById("main"), true);
    };
    // Said at once, not only when the page would be asked for.
    const sayIfMarked = () => {
      const said = isMarked() ? "waits while text is marked" : "";
      if (waits.textContent !== said) waits.textContent = said;
    };
    document.addEventListener("selectionchange", sayIfMarked);
    sayIfMarked();
    const isHeld = () => pause.ariaPressed === "true" || document.hidden || isMarked();
    // Returns whether another page comes.
    const ask = async () => {
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.statusText);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (isHeld()) return false;
        const main = page.getElementById("main");
        if (!main.querySelector("[data-live]")) {
          location.reload();
          return true;
        }
        renew(main);
      } catch {
        const status = document.querySelector("[data-connection]");
        if (status) status.textContent = "The server does not answer. This page goes on asking.";
      }
      return false;
    };
    const again = async () => {
      const asked = performance.now();
      if (!isHeld() && await ask()) return;
      // What takes long to answer is asked for less often: others measure on that machine.
      setTimeout(again, Math.max(3000, 10 * (performance.now() - asked)));
    };
    setTimeout(again, 3000);
    return;
  }

  // Plots: drawn again to interact with when somebody points at them.
  const figures = window.perflabFigures ?? {};
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const faded = (hex, share) => {
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return `rgba(${parts.join(",")},${share})`;
  };
  const shade = (name) => {
    const [tone, share] = name.slice("tone:".length).split("/");
    return share === undefined ? colour(tone) : faded(colour(tone), share);
  };
  // Only where a colour stands: others may have given their names the form of ours.
  const coloured = (value) => {
    if (Array.isArray(value)) return value.map(coloured);
    if (value === null || typeof value !== "object") return value;
    const own = Object.entries(value).map(([key, inner]) => {
      const isColour = ["color", "fillcolor"].includes(key) && typeof inner === "string";
      return [key, isColour ? shade(inner) : coloured(inner)];
    });
    return Object.fromEntries(own);
  };
  const themed = (figure, height) => {
    const axis = (own) => ({ ...own, color: colour("ink"), gridcolor: colour("line"), linecolor: colour("quiet") });
    const { data, layout } = coloured(figure);
    return [data, {
      ...layout,
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis), height,
      paper_bgcolor: colour("paper"), plot_bgcolor: colour("paper"),
      font: { family: "system-ui, sans-serif", size: 13, color: colour("ink") },
      hoverlabel: { bgcolor: colour("shade"), bordercolor: colour("quiet"), font: { color: colour("ink") } },
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
      // The legend is below the buttons, whatever its length.
      margin: { l: 60, r: 16, t: 64, b: 48 }, hovermode: "closest", dragmode: "zoom",
    }];
  };
  // Milliseconds in which a second click makes a double one.
  const DOUBLE_CLICK = 300;
  const config = {
    responsive: true, doubleClickDelay: DOUBLE_CLICK, displaylogo: false, displayModeBar: true,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
  };
  let library;
  const loaded = () => {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = "plotly.js";
      script.addEventListener("load", () => resolve(window.Plotly));
      script.addEventListener("error", reject);
      document.head.append(script);
    });
    return library;
  };
  // As high as the drawing, so that nothing moves under the hand that points at it.
  const LOWEST = 260;
  const drawn = new Set();
  const draw = async (element) => {
    const figure = figures[element.dataset.figure];
    if (!figure) return;
    const drawing = element.querySelector(".drawing");
    const height = Math.max(drawing.getBoundingClientRect().height, LOWEST);
    const plotly = await loaded();
    const place = document.createElement("div");
    place.className = "interactive";
    element.append(place);
    element.classList.add("is-interactive");
    const [data, layout] = themed(figure, height);
    await plotly.newPlot(place, data, layout, config);
    // Who shows everything again by two clicks does not want to follow the point that happens to be there.
    let following;
    place.on("plotly_click", ({ points, event }) => {
      clearTimeout(following);
      const link = points[0]?.customdata;
      if (typeof link === "string" && event.detail < 2) {
        following = setTimeout(() => { window.location.href = link; }, DOUBLE_CLICK);
      }
    });
    place.on("plotly_doubleclick", () => clearTimeout(following));
    drawn.add([element, place, figure, height]);
  };
  // Drawing takes its time, so it waits for a mouse that moves in the plot, or a finger that taps it: pages that are
  // only scrolled stay smooth. (A mouse that rests on a page that is scrolled moves by nothing.)
  const SIGNS = ["pointermove", "click"];
  const points = ({ type, pointerType, movementX, movementY }) =>
    type === "click" || (pointerType === "mouse" && (movementX !== 0 || movementY !== 0));
  for (const element of document.querySelectorAll("figure[data-figure]")) {
    const pointed = (event) => {
      if (!points(event)) return;
      for (const sign of SIGNS) element.removeEventListener(sign, pointed);
      // The drawing without a script stays if the library is missing.
      draw(element).catch(() => element.classList.remove("is-interactive"));
    };
    for (const sign of SIGNS) element.addEventListener(sign, pointed);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const [, place, figure, height] of drawn) {
      const [data, layout] = themed(figure, height);
      window.Plotly.react(place, data, layout, config);
    }
  });
})();
