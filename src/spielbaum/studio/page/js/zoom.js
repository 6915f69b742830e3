// Looking closer at a large board: by pinching, Ctrl and the wheel, buttons or keys; dragging moves it.

const LEAST_CELLS = 5;
const STEP = 1.6;
/** A drag of so many pixels is no click any more. */
const DRAG = 8;

export class Zoom {
  /** box: [x, y, width, height] of the whole board; mayDrag(event) says whether the board may be moved. */
  constructor(svg, box, cell, { mayDrag, onchange }) {
    this.svg = svg;
    this.box = box;
    this.cell = cell;
    this.mayDrag = mayDrag;
    this.onchange = onchange;
    this.scale = 1;
    this.centre = this.#middle();
    this.pointers = new Map();
    this.moved = false;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"])
      svg.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    // Who has moved the board has not clicked on a cell.
    svg.addEventListener("click", (event) => this.moved && event.stopPropagation(), { capture: true });
    this.#apply();
  }

  get most() {
    return Math.max(1, Math.max(this.box[2], this.box[3]) / (LEAST_CELLS * this.cell));
  }

  /** How wide a cell is, in pixels. */
  get pixels() {
    const { width } = this.svg.getBoundingClientRect();
    return (this.cell * width * this.scale) / this.box[2];
  }

  in() {
    this.to(this.centre, this.scale * STEP);
  }

  out() {
    this.to(this.centre, this.scale / STEP);
  }

  fit() {
    this.to(this.#middle(), 1);
  }

  /** Look at a point so closely that cells are as wide as so many pixels. */
  approach(point, pixels) {
    this.to(point, (this.scale * pixels) / this.pixels);
  }

  /** Move the board if a point is not to be seen. */
  reveal([x, y]) {
    const [left, top, width, height] = this.#view();
    const room = this.cell;
    if (x > left + room && x < left + width - room && y > top + room && y < top + height - room) return;
    if (this.scale > 1) this.to([x, y], this.scale);
  }

  to(centre, scale) {
    this.scale = Math.min(Math.max(scale, 1), this.most);
    const [left, top, width, height] = this.box;
    const within = (value, low, size) => {
      const half = size / this.scale / 2;
      return Math.min(Math.max(value, low + half), low + size - half);
    };
    this.centre = [within(centre[0], left, width), within(centre[1], top, height)];
    this.#apply();
  }

  #middle() {
    const [left, top, width, height] = this.box;
    return [left + width / 2, top + height / 2];
  }

  #view() {
    const [width, height] = [this.box[2] / this.scale, this.box[3] / this.scale];
    return [this.centre[0] - width / 2, this.centre[1] - height / 2, width, height];
  }

  #apply() {
    this.svg.setAttribute("viewBox", this.#view().join(" "));
    this.svg.classList.toggle("zoomed", this.scale > 1.01);
    this.onchange();
  }

  /** Change the scale such that a point of the board stays where it is on the screen. */
  #about([x, y], scale) {
    const next = Math.min(Math.max(scale, 1), this.most);
    const share = this.scale / next;
    this.to([x + (this.centre[0] - x) * share, y + (this.centre[1] - y) * share], next);
  }

  point(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.svg.getScreenCTM().inverse(),
    );
    return [place.x, place.y];
  }

  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#about(this.point(event), this.scale * Math.exp(-event.deltaY / 200));
  }

  #down(event) {
    if (this.pointers.size === 0) this.moved = false;
    if (event.pointerType !== "touch" && (event.button !== 0 || !this.mayDrag(event))) return;
    const { clientX: x, clientY: y } = event;
    this.pointers.set(event.pointerId, { x, y, begin: [x, y] });
  }

  #move(event) {
    const held = this.pointers.get(event.pointerId);
    if (!held) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    const unit = this.box[2] / this.scale / this.svg.getBoundingClientRect().width;
    if (others.length === 1) {
      const [other] = others;
      const before = Math.hypot(held.x - other.x, held.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      const middle = { clientX: (event.clientX + other.x) / 2, clientY: (event.clientY + other.y) / 2 };
      this.moved = true;
      if (before > 0) this.#about(this.point(middle), (this.scale * after) / before);
      this.to([this.centre[0] - (dx * unit) / 2, this.centre[1] - (dy * unit) / 2], this.scale);
    } else if (this.scale > 1) {
      const [x, y] = held.begin;
      if (!this.moved && Math.hypot(event.clientX - x, event.clientY - y) < DRAG) return;
      this.moved = true;
      this.to([this.centre[0] - dx * unit, this.centre[1] - dy * unit], this.scale);
    }
    held.x = event.clientX;
    held.y = event.clientY;
  }
}
