// The protocol as a page, made from the server's OpenAPI description.

import { get } from "./api.js";
import { h, replace } from "./dom.js";

const dark =
  localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.documentElement.dataset.theme = dark;

const nameOf = (schema) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(nameOf).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "array") return `list of ${nameOf(schema.items) || "anything"}`;
  return schema.type ?? "anything";
};

const bounds = (schema) =>
  [
    schema.minimum !== undefined && `at least ${schema.minimum}`,
    schema.maximum !== undefined && `at most ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.maxItems !== undefined && `at most ${schema.maxItems}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
    schema.description,
  ]
    .filter(Boolean)
    .join("; ");

function fields(schema) {
  const required = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([name, each]) =>
    h(
      "tr",
      {},
      h("td", { class: "mono" }, name, required.includes(name) ? " *" : ""),
      h("td", { class: "mono small" }, nameOf(each)),
      h("td", { class: "small soft" }, bounds(each)),
    ),
  );
  return rows.length ? h("div", { class: "scroller" }, h("table", {}, h("tbody", {}, rows))) : null;
}

function operation(path, verb, each) {
  const body = each.requestBody?.content?.["application/json"]?.schema;
  const answer = Object.entries(each.responses ?? {}).find(([code]) => code.startsWith("2"))?.[1]?.content?.[
    "application/json"
  ]?.schema;
  return h(
    "div",
    { class: "api-op" },
    h("div", { class: "row" }, h("span", { class: "verb" }, verb.toUpperCase()), h("code", {}, path)),
    h("p", {}, each.description ?? each.summary),
    (each.parameters ?? []).map((parameter) =>
      h(
        "p",
        { class: "small" },
        h("code", {}, parameter.name),
        ` (${parameter.in}): ${nameOf(parameter.schema)} `,
        h("span", { class: "soft" }, bounds(parameter.schema)),
      ),
    ),
    body && h("p", { class: "small" }, "Takes ", h("code", {}, nameOf(body))),
    answer && h("p", { class: "small" }, "Answers ", h("code", {}, nameOf(answer))),
  );
}

const description = await get("openapi.json");
const operations = Object.entries(description.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, each]) => ({ path, verb, each })),
);
const tags = [...new Set(operations.map(({ each }) => each.tags?.[0]))];
replace(
  document.getElementById("main"),
  h(
    "div",
    { class: "page-head" },
    h("h1", {}, "The protocol"),
    h("a", { href: "api/openapi.json" }, "openapi.json"),
  ),
  h(
    "section",
    { class: "card" },
    h("h2", {}, "The socket"),
    h(
      "p",
      {},
      "A page has one WebSocket, ",
      h("code", {}, "/api/socket"),
      ". It sends SearchMessage, SolveMessage, StopMessage, CancelMessage, LeaveMessage and WatchMessage, and is told, for the id of each search: queued (with its place), started, report, done, failed (with a sentence) or lost (its process ended). Closing the socket ends its searches. Runs that are watched are told by messages of type run.",
    ),
  ),
  tags.map((tag) =>
    h(
      "section",
      { class: "card" },
      h("h2", {}, tag),
      operations
        .filter(({ each }) => each.tags?.[0] === tag)
        .map(({ path, verb, each }) => operation(path, verb, each)),
    ),
  ),
  h(
    "section",
    { class: "card" },
    h("h2", {}, "Messages"),
    Object.entries(description.components.schemas).map(([name, schema]) =>
      h(
        "div",
        { class: "api-op" },
        h("h3", { class: "mono" }, name),
        h("p", { class: "small soft" }, schema.description),
        fields(schema),
      ),
    ),
  ),
);
