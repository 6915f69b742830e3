// Small helpers to make elements: nothing is ever built from text that a visitor wrote.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: properties are attributes, except onX (listeners) and class. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

const parsed = new Map();

/** A group with markup that the server's faces have drawn. */
export function markup(text) {
  if (!parsed.has(text)) {
    const page = new DOMParser().parseFromString(`<svg xmlns="${SVG}"><g>${text}</g></svg>`, "image/svg+xml");
    parsed.set(text, document.importNode(page.documentElement.firstChild, true));
  }
  return parsed.get(text).cloneNode(true);
}

const ICONS = {
  undo: "M9 7L4 12l5 5M4 12h11a5 5 0 0 1 0 10h-3",
  redo: "M15 7l5 5-5 5M20 12H9a5 5 0 0 0 0 10h3",
  flip: "M7 4v16M7 20l-4-4M7 20l4-4M17 20V4M17 4l-4 4M17 4l4 4",
  flag: "M5 21V4M5 4h12l-2 4 2 4H5",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5",
  moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z",
  sound: "M4 10v4h4l5 4V6L8 10zM17 9a4 4 0 0 1 0 6",
  mute: "M4 10v4h4l5 4V6L8 10zM17 9.500l5 5M22 9.500l-5 5",
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 17h.01",
  first: "M6 5v14M19 5l-10 7 10 7z",
  back: "M16 5L6 12l10 7z",
  play: "M7 4.500l12 7.500-12 7.500z",
  pause: "M8 5v14M16 5v14",
  forward: "M8 5l10 7-10 7z",
  last: "M18 5v14M5 5l10 7-10 7z",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  all: "M4 7h10v10H4zM10 7V3h10v10h-6",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  load: "M12 16V5M7 9l5-5 5 5M4 20h16",
  stop: "M7 7h10v10H7z",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** A button with a text, an icon, or both; an icon alone is named by its label. */
export function button(label, { onclick, look = "", sign, iconOnly = false, ...rest } = {}) {
  return h(
    "button",
    {
      type: "button",
      class: `button ${look} ${iconOnly ? "icon" : ""}`,
      "aria-label": iconOnly ? label : undefined,
      title: iconOnly ? label : undefined,
      onclick,
      ...rest,
    },
    sign && icon(sign),
    !iconOnly && label,
  );
}

/** A control with a name that only screen readers tell. */
export function named(label, control) {
  control.setAttribute("aria-label", label);
  return control;
}

/** A labelled control. */
export function field(label, control, grow = false) {
  const id = control.id || `f${Math.random().toString(36).slice(2)}`;
  control.id = id;
  return h("div", { class: `field-row ${grow ? "grow" : ""}` }, h("label", { for: id }, label), control);
}

export function check(label, checked, onchange) {
  const box = h("input", { type: "checkbox", checked, onchange: () => onchange(box.checked) });
  return h("label", { class: "check" }, box, label);
}

/** A table with a head; columns of numbers are named by their places. */
export function grid(head, rows, { numbers = [], look = "" } = {}) {
  const cells = head.map((text, index) =>
    h("th", { scope: "col", class: numbers.includes(index) ? "number" : "" }, text),
  );
  return h("table", { class: look }, h("thead", {}, h("tr", {}, cells)), h("tbody", {}, rows));
}

/** A select from pairs of value and text; an array of pairs with a name is a group. */
export function choose(pairs, value, onchange) {
  const one = ([key, text]) => h("option", { value: key }, text);
  const select = h(
    "select",
    { onchange: () => onchange?.(select.value) },
    pairs.map((pair) => (pair.group ? h("optgroup", { label: pair.group }, pair.pairs.map(one)) : one(pair))),
  );
  select.value = value;
  return select;
}

export function toast(text, problem = false) {
  const note = h("div", { class: `toast ${problem ? "problem" : ""}` }, text);
  document.getElementById("toasts").append(note);
  setTimeout(() => note.remove(), problem ? 7000 : 3500);
}

export function announce(text) {
  const log = document.getElementById("announcer");
  log.append(h("p", {}, text));
  while (log.childElementCount > 20) log.firstChild.remove();
}
