// The address of the page: the view, and for a game everything that is needed to go on with it.

/** "#/play?game=connect4&moves=d1+d2" as {view: ["play"], values: {...}}. */
export function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    view: path.split("/").filter(Boolean).map(decodeURIComponent),
    values: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function write(view, values = {}) {
  const path = view.map(encodeURIComponent).join("/");
  const query = new URLSearchParams(
    Object.entries(values).filter(([, value]) => value !== "" && value !== undefined),
  );
  const text = query.toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

/** Change the address without a new entry in the history. */
export function remember(view, values) {
  history.replaceState(null, "", write(view, values));
}

/** A seat as text: "human", or an agent and its limits. */
export const seatText = (seat) =>
  seat.agent === "human" ? "human" : `${seat.agent}~${limitsText(seat.limits)}`;

export function readSeat(text, fallback) {
  if (!text) return fallback;
  const [agent, limits = ""] = text.split("~");
  return { agent, limits: readLimits(limits) };
}

export const limitsText = (limits) =>
  Object.entries(limits ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

export function readLimits(text) {
  const limits = {};
  for (const part of text.split(",").filter(Boolean)) {
    const [name, value] = part.split("=");
    if (["seconds", "iterations", "depth", "nodes"].includes(name) && Number(value) > 0)
      limits[name] = Number(value);
  }
  return Object.keys(limits).length ? limits : { seconds: 1 };
}
