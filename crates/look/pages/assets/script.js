// What pages can do where scripts may run: sort and filter tables, follow an experiment, and plots to interact with.
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

  // Plots have a script of their own. (Those of a running experiment are replaced all the time.)
  if (document.querySelector("figure.plot")) {
    const script = document.createElement("script");
    script.src = "plots.js";
    document.head.append(script);
  }
})();
