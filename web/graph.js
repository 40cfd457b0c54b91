// The state machine as a picture: nodes in the order of the machine, lit as they run, with round and time.
import { text } from "./language.js";

const SVG = "http://www.w3.org/2000/svg";
const ORDER = ["route", "rewrite", "retrieve", "agent", "evaluate", "handoff", "generate"];
const NARROW = matchMedia("(max-width: 46rem)");

/** The edges that a picture shows before anything has run, and the nodes between them. */
const WAYS = {
  agent: ["route>agent", "agent>evaluate", "evaluate>agent", "evaluate>generate", "route>generate"],
  loop: ["route>rewrite", "rewrite>retrieve", "retrieve>evaluate", "evaluate>rewrite", "evaluate>generate", "route>generate"],
  self_query: ["route>rewrite", "rewrite>retrieve", "retrieve>evaluate", "evaluate>generate", "route>generate"],
  search: ["route>retrieve", "retrieve>evaluate", "evaluate>generate", "route>generate"],
};

/** A picture that `draw(run)` brings up to date; `upright` where there is half the page for it. */
export function graph({ upright = false } = {}) {
  const picture = make("svg", { class: upright ? "graph upright" : "graph", role: "img" });
  let shown = null;
  const draw = (run) => {
    shown = run;
    const way = run.mode === null ? WAYS.loop : WAYS[run.mode] ?? WAYS.search;
    const edges = new Set([...way, ...Object.keys(run.edges)]);
    const nodes = ORDER.filter((name) => [...edges].some((edge) => edge.split(">").includes(name)));
    const places = upright || NARROW.matches ? tall(picture, nodes) : wide(picture, nodes);
    picture.replaceChildren(...[...edges].map((edge) => drawEdge(run, edge, places)), ...nodes.map((name) => drawNode(run, name, places[name])));
    picture.setAttribute("aria-label", spoken(run, nodes));
  };
  const again = () => shown && picture.isConnected && draw(shown);
  NARROW.addEventListener("change", again);
  document.addEventListener("language", again);
  return { picture, draw };
}

function wide(picture, nodes) {
  picture.setAttribute("viewBox", "0 0 960 178");
  const room = (960 - 24) / nodes.length;
  const width = Math.min(150, room - 36);
  return Object.fromEntries(nodes.map((name, at) => [name, { x: 12 + room * (at + 0.5), y: 92, width, height: 56, at, tall: false }]));
}

function tall(picture, nodes) {
  picture.setAttribute("viewBox", `0 0 320 ${nodes.length * 78}`);
  return Object.fromEntries(nodes.map((name, at) => [name, { x: 160, y: 36 + at * 78, width: 168, height: 52, at, tall: true }]));
}

function drawNode(run, name, place) {
  const known = run.nodes[name];
  const group = make("g", { class: `node ${known?.state ?? "idle"}`, "data-node": name });
  const { x, y, width, height } = place;
  group.append(
    make("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 12 }),
    words(x, known ? y - 3 : y + 5, "name", text(`node.${name}`)),
  );
  if (known) group.append(words(x, y + 17, "detail", detail(known)));
  return group;
}

/** Round and time of a node, such as "round 2 · 1.4 s"; while it runs, the round alone. */
export function detail({ round, ms, state }) {
  const rounds = text("graph.round", { round: round + 1 });
  return state === "running" ? rounds : `${rounds} · ${duration(ms)}`;
}

export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function drawEdge(run, edge, places) {
  const [from, to] = edge.split(">").map((name) => places[name]);
  const times = run.edges[edge] ?? 0;
  const group = make("g", { class: times ? "edge taken" : "edge" });
  const { path, tip, turn, label } = between(from, to);
  group.append(make("path", { d: path }), make("path", { class: "tip", d: "M-9 -5 L0 0 L-9 5", transform: `translate(${tip}) rotate(${turn})` }));
  if (times > 1) group.append(words(label[0], label[1], "times", `×${times}`));
  return group;
}

/** How an edge runs: straight to the next node, else in an arc, ahead on one side and back on the other. */
function between(from, to) {
  const steps = to.at - from.at;
  if (from.tall) return steps === 1 ? down(from, to) : beside(from, to, steps);
  return steps === 1 ? ahead(from, to) : over(from, to, steps);
}

function ahead(from, to) {
  const [start, end] = [from.x + from.width / 2, to.x - to.width / 2 - 2];
  return { path: `M${start} ${from.y} H${end}`, tip: [end, to.y], turn: 0, label: [(start + end) / 2, from.y - 8] };
}

function down(from, to) {
  const [start, end] = [from.y + from.height / 2, to.y - to.height / 2 - 2];
  return { path: `M${from.x} ${start} V${end}`, tip: [to.x, end], turn: 90, label: [from.x + 16, (start + end) / 2 + 4] };
}

function over(from, to, steps) {
  const side = steps > 0 ? -1 : 1;
  const [start, end] = steps === 0 ? [from.x - 24, to.x + 24] : [from.x + Math.sign(steps) * 14, to.x - Math.sign(steps) * 14];
  const edge = from.y + side * (from.height / 2 + 2);
  const bend = edge + side * (steps > 0 ? 34 + 9 * steps : 62);
  const path = `M${start} ${edge} C${start} ${bend} ${end} ${bend} ${end} ${edge}`;
  return { path, tip: [end, edge], turn: side * -90, label: [(start + end) / 2, bend - side * 6] };
}

function beside(from, to, steps) {
  const side = steps > 0 ? -1 : 1;
  const edge = from.x + side * (from.width / 2 + 2);
  const bend = edge + side * 84;
  const [start, end] = steps === 0 ? [from.y + 14, to.y - 14] : [from.y + Math.sign(steps) * 10, to.y - Math.sign(steps) * 10];
  const path = `M${edge} ${start} C${bend} ${start} ${bend} ${end} ${edge} ${end}`;
  return { path, tip: [edge, end], turn: side > 0 ? 180 : 0, label: [edge + side * 50, (start + end) / 2] };
}

function spoken(run, nodes) {
  const said = nodes.filter((name) => run.nodes[name]).map((name) => `${text(`node.${name}`)}: ${detail(run.nodes[name])}`);
  return said.length ? said.join("; ") : text("graph.idle");
}

function words(x, y, kind, content) {
  const node = make("text", { x, y, class: kind, "text-anchor": "middle" });
  node.textContent = content;
  return node;
}

function make(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
