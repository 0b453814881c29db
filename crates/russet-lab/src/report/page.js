"use strict";
(() => {
  // Sorting: a click on a heading, ascending first; what is missing stays last.
  const value = (row, column, numeric) => {
    const text = row.cells[column]?.dataset.sort;
    return text === undefined ? null : numeric ? Number(text) : text;
  };
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const sort = (heading) => {
    const table = heading.closest("table"), body = table.tBodies[0];
    const column = heading.cellIndex, numeric = heading.classList.contains("number");
    const descending = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [value(row, column, numeric), row]);
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : descending ? compare(b, a) : compare(a, b));
    body.append(...rows.map(([, row]) => row));
  };
  for (const button of document.querySelectorAll(".sortable th button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }

  // Values on hover. The title of a mark moves into the tip, or the browser would show it a second time.
  const tip = document.getElementById("tip");
  const texts = new WeakMap();
  const text = (mark) => {
    const title = mark.querySelector("title");
    if (title) {
      texts.set(mark, title.textContent);
      title.remove();
    }
    return texts.get(mark) ?? "";
  };
  const place = (x, y) => {
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(x + 14, innerWidth - width - 8), top = y - height - 12;
    tip.style.transform = `translate(${Math.max(8, left)}px, ${top < 8 ? y + 18 : top}px)`;
  };
  let current = null;
  const show = (mark, x, y) => {
    current?.classList.remove("current");
    current = mark;
    mark.classList.add("current");
    tip.textContent = text(mark);
    tip.hidden = false;
    place(x, y);
  };
  const hide = () => {
    current?.classList.remove("current");
    current = null;
    tip.hidden = true;
  };

  // Pointing at a method makes the others step back.
  const emphasise = (figure, method) => {
    figure.classList.toggle("focused", method !== undefined);
    for (const part of figure.querySelectorAll(".on")) part.classList.remove("on");
    if (method === undefined) return;
    const wanted = ["curve", "method", "key"].map((name) => `[data-${name}="${CSS.escape(method)}"]`).join();
    for (const part of figure.querySelectorAll(wanted)) {
      part.classList.add("on");
      for (const inner of part.querySelectorAll(".curve")) inner.classList.add("on");
    }
  };
  for (const figure of document.querySelectorAll("svg.plot")) {
    const marks = [...figure.querySelectorAll(".mark")];
    figure.addEventListener("pointermove", (event) => {
      const mark = event.target.closest(".mark"), part = event.target.closest("[data-curve],[data-key]");
      mark ? show(mark, event.clientX, event.clientY) : hide();
      emphasise(figure, part ? part.dataset.curve ?? part.dataset.key : undefined);
    });
    figure.addEventListener("pointerleave", () => (hide(), emphasise(figure)));
    figure.addEventListener("blur", hide);
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step || !marks.length) return;
      event.preventDefault();
      const from = marks.indexOf(current);
      const next = marks[from < 0 ? (step > 0 ? 0 : marks.length - 1) : (from + step + marks.length) % marks.length];
      const box = (next.querySelector(".shape,.bar") ?? next).getBoundingClientRect();
      show(next, box.right, box.top);
    });
  }

  // Paper cannot be unfolded.
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
})();
