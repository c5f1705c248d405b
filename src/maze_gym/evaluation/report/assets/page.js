"use strict";
// Whatever the data says is shown by textContent alone.
const read = id => JSON.parse(document.getElementById(id).textContent);
const get = id => document.getElementById(id);
const index = read("index");
const replays = read("replays");
const atlas = get("atlas");
const TILE = index.tile, ATLAS_COLUMNS = 32, PAGE = 300, PLAY_MS = 140;
const FAILURES = index.failures;
const episodes = index.episodes.map(([who, number, level, disguise, success, end, failure, steps, optimal, mistake, dead, queries, replay, key]) =>
  ({who, number, level, disguise, success, end, failure, steps, optimal, mistake, dead, queries, replay, key}));
const state = {shown: [], limit: PAGE, chosen: null, step: 0, players: [], timer: null, open: false};
// A link to a frame: #e12.5 is step 5 of the 13th episode, #e12.5.open has its prompts open.
const LINK = /^#e(\d+)(?:\.(\d+))?(\.open)?$/;

function make(tag, style, text) {
  const element = document.createElement(tag);
  if (style) element.className = style;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}
function option(value, text) {
  const element = make("option", "", text);
  element.value = value;
  return element;
}
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const failureStyle = name => `f${Math.max(0, FAILURES.indexOf(name))}`;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// ---- one board ---------------------------------------------------------------------------------------------

class Player {
  constructor(episode, data) {
    this.episode = episode;
    this.data = data;
    this.length = data.steps.length;
    this.actions = index.contenders[episode.who].actions;
    this.tiles = null;
    this.at = -1;
    this.root = make("div", "player");
    this.board = make("canvas", "board");
    this.strip = make("canvas", "strip");
    this.info = make("div", "info");
    const title = make("p", "title", `${index.contenders[episode.who].label} \u00b7 ${episode.level}${episode.disguise ? ` (${episode.disguise})` : ""}`);
    title.append(make("span", `pill ${failureStyle(episode.failure)}`, episode.failure));
    const left = make("div");
    left.append(this.board, this.strip);
    this.root.append(title, left, this.info);
    [this.board.height, this.board.width] = [data.size[0] * TILE, data.size[1] * TILE];
    this.context = this.board.getContext("2d");
    this.strip.addEventListener("click", event => {
      const box = this.strip.getBoundingClientRect();
      go(Math.round((event.clientX - box.left) / box.width * this.length));
    });
  }
  put(place, number) {
    const cols = this.data.size[1];
    this.context.drawImage(atlas, number % ATLAS_COLUMNS * TILE, Math.floor(number / ATLAS_COLUMNS) * TILE, TILE, TILE,
      place % cols * TILE, Math.floor(place / cols) * TILE, TILE, TILE);
  }
  show(step) {
    step = Math.min(step, this.length);
    if (this.at < 0 || step < this.at) {
      this.data.first.forEach((number, place) => this.put(place, number));
      this.at = 0;
    }
    for (; this.at < step; this.at++) {
      const change = this.data.changes[this.at];
      for (let item = 0; item < change.length; item += 2) this.put(change[item], change[item + 1]);
    }
    this.drawStrip(step);
    this.tell(step);
  }
  drawStrip(step) {
    const box = this.strip.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
    const width = this.strip.width = Math.max(1, Math.round(box.width * scale)), height = this.strip.height = Math.round(54 * scale);
    const pen = this.strip.getContext("2d"), style = getComputedStyle(document.documentElement);
    const color = name => style.getPropertyValue(name).trim();
    pen.fillStyle = color("--paper");
    pen.fillRect(0, 0, width, height);
    const count = Math.max(1, this.length), top = Math.max(1, this.data.optimal || 0, ...this.data.steps.map(each => each[5] || 0));
    this.data.steps.forEach(([, , , failed, , remaining, regret], number) => {
      const measured = this.data.optimal !== null;
      pen.fillStyle = color(failed ? "--f9" : !measured ? "--f7" : remaining === null ? "--f3" : regret ? "--f6" : "--f0");
      pen.fillRect(number / count * width, height - 9 * scale, Math.max(1, width / count - (width / count > 4 ? 1 : 0)), 9 * scale);
    });
    if (this.data.optimal !== null) {
      pen.strokeStyle = color("--accent");
      pen.lineWidth = 1.6 * scale;
      pen.beginPath();
      const y = value => 4 * scale + (1 - value / top) * (height - 20 * scale);
      pen.moveTo(0, y(this.data.optimal));
      this.data.steps.every((each, number) => {
        if (each[5] === null) return false;
        pen.lineTo((number + 1) / count * width, y(each[5]));
        return true;
      });
      pen.stroke();
    }
    pen.fillStyle = color("--ink");
    pen.fillRect(Math.min(width - 2 * scale, step / count * width), 0, 2 * scale, height);
  }
  action(number) {
    return number === null || number === undefined ? "-" : this.actions[number] || String(number);
  }
  text(number) {
    return this.data.strings[number];
  }
  tell(step) {
    const info = this.info;
    info.replaceChildren();
    const head = make("p", "step", `step ${step} of ${this.length}`);
    info.append(head);
    const list = make("dl", "facts-of-step");
    const fact = (name, value, style) => list.append(make("dt", "", name), make("dd", style, value));
    if (step > 0) {
      const [action, event, message, failed, best, remaining, regret] = this.data.steps[step - 1];
      fact("did", this.action(action), failed ? "warn" : "");
      fact("came", `${this.text(event)}. ${this.text(message)}`);
      if (this.data.optimal !== null) {
        if (regret === 0) fact("oracle", `optimal; ${plural(remaining, "action")} remain`, "good");
        else if (regret !== null) fact("oracle", `would ${this.action(best)}; this cost ${plural(regret, "action")}, ${remaining} remain`, "warn");
        else if (best !== null) fact("oracle", `would ${this.action(best)}; after this no plan leads to the goal`, "bad");
        else fact("oracle", "no plan leads to the goal any more", "bad");
      }
    } else if (this.data.optimal !== null) fact("oracle", `${plural(this.data.optimal, "action")} to the goal`);
    if (step < this.length) {
      const [next, , , , best] = this.data.steps[step];
      fact("next", this.action(next) + (best === null || best === next ? "" : ` (oracle: ${this.action(best)})`));
    } else fact("end", this.episode.end.replace("_", " ") + (this.episode.failure === "solved" ? "" : `: ${this.episode.failure}`),
      this.episode.success ? "good" : "bad");
    info.append(list);
    this.queriesFor(step).forEach(query => info.append(this.query(query, step)));
  }
  queriesFor(step) {
    const queries = this.data.queries;
    if (!queries.length) return [];
    const before = queries.filter(query => query.step < step);
    const since = before.length ? before[before.length - 1].step : null;
    const found = before.filter(query => query.step === since);
    // What was asked after the last action led to no further one.
    return step === this.length ? found.concat(queries.filter(query => query.step >= step)) : step === 0 ? queries.filter(query => query.step === 0) : found;
  }
  query(query, step) {
    const root = make("div", "query");
    const numbers = [`asked after step ${query.step}`];
    if (query.attempt) numbers.push(`try ${query.attempt + 1}`);
    if (query.tokens && query.tokens[0] !== null) numbers.push(`${query.tokens[0]} + ${query.tokens[1]} tokens`);
    if (query.latency !== undefined) numbers.push(`${query.latency.toFixed(2)} s`);
    if (query.cost !== undefined) numbers.push(`$${query.cost.toFixed(5)}`);
    if (query.retries) numbers.push(`${plural(query.retries, "provider retry").replace("retrys", "retries")}`);
    root.append(this.line(numbers.join(" \u00b7 "), "small"));
    const asked = make("details");
    asked.append(make("summary", "", `what it saw (${plural(query.asked.length, "message")})`));
    const fill = () => query.asked.forEach(([role, text]) => asked.append(make("p", "role", this.text(role)), make("pre", "", this.text(text))));
    asked.addEventListener("toggle", () => {
      state.open = asked.open;  // and so it stays at the next step
      if (asked.open && asked.childElementCount === 1) fill();
    });
    asked.open = state.open;
    if (state.open) fill();  // a browser says "toggle" when it finds the time: a page that is shown is whole before
    root.append(asked);
    const said = make("div");
    said.append(make("span", "small", query.error === undefined ? "said" : "the provider failed"));
    said.append(make("pre", "", query.reply === undefined ? this.text(query.error) : this.text(query.reply) || "(nothing)"));
    root.append(said);
    if (query.actions) {
      const goal = query.subgoal ? ` for \u201c${query.subgoal}\u201d` : "";
      root.append(this.line(`read as ${query.actions.map(each => this.action(each)).join(", ")}${goal}`, "good"));
    } else if (query.failure) root.append(this.line(`not usable: ${query.failure.replace("_", " ")}. ${this.text(query.detail)}`, "bad"));
    return root;
  }
  line(text, style) {
    const row = make("div");
    row.append(make("span", style, text));
    return row;
  }
}

// ---- the stage ---------------------------------------------------------------------------------------------

const longest = () => Math.max(0, ...state.players.map(player => player.length));
function go(step) {
  state.step = Math.max(0, Math.min(longest(), step));
  get("scrub").value = state.step;
  state.players.forEach(player => player.show(state.step));
  if (state.players.length) history.replaceState(null, "", `#e${episodes.indexOf(state.chosen)}.${state.step}${state.open ? ".open" : ""}`);
}
function stop() {
  clearInterval(state.timer);
  state.timer = null;
  get("play").textContent = "\u25B6\uFE0E play";
}
function playOrStop() {
  if (state.timer) return stop();
  if (state.step >= longest()) go(0);
  get("play").textContent = "\u23F8\uFE0E stop";
  state.timer = setInterval(() => state.step >= longest() ? stop() : go(state.step + 1), PLAY_MS);
}
function nextMistake() {
  const wrong = [];
  state.players.forEach(player => player.data.steps.forEach((each, number) => {
    const before = number ? player.data.steps[number - 1][5] : player.data.optimal;
    if (player.data.optimal === null ? each[3] : before !== null && each[6] !== 0) wrong.push(number + 1);
  }));
  wrong.sort((a, b) => a - b);
  const found = wrong.find(step => step > state.step);
  go(found === undefined ? longest() : found);
}
async function choose(episode, beside, step = 0) {
  stop();
  state.chosen = episode;
  document.querySelectorAll(".entry").forEach(entry => entry.classList.toggle("chosen", entry.episode === episode));
  fillBeside(episode, beside);
  const players = get("players");
  const wanted = [episode, ...(beside ? [beside] : [])];
  const ready = [];
  for (const each of wanted) {
    if (each.replay === null) continue;
    try {
      ready.push(new Player(each, await unpack(replays[each.replay])));
    } catch (error) {
      players.replaceChildren(make("p", "notice", `This browser cannot unpack the replay: ${error.message}`));
      return;
    }
  }
  if (state.chosen !== episode) return;  // another one was chosen while this was unpacked
  state.players = ready;
  players.replaceChildren(...ready.map(player => player.root));
  if (!ready.length) players.replaceChildren(make("p", "notice", "This episode has no replay in this file."));
  ready.forEach(player => player.root.classList.toggle("alone", ready.length === 1));
  get("scrub").max = longest();
  get("strip-legend").hidden = !ready.some(player => player.data.optimal !== null);
  await atlas.decode().catch(() => undefined);
  go(step);
  document.documentElement.dataset.shown = "yes";
}
function fillBeside(episode, beside) {
  const select = get("beside");
  select.replaceChildren(option("", "nobody"));
  state.others = episodes.filter(each => each !== episode && each.key === episode.key && each.replay !== null);
  state.others.forEach((each, number) => select.append(option(number, `${index.contenders[each.who].label} #${each.number} (${each.failure})`)));
  select.value = beside ? String(state.others.indexOf(beside)) : "";
}

// ---- the list ----------------------------------------------------------------------------------------------

function filter() {
  const who = get("who").value, outcome = get("outcome").value, level = get("level").value.toLowerCase();
  state.shown = episodes.filter(each => (who === "" || each.who === Number(who)) && (outcome === "" || each.failure === outcome) &&
    (!level || each.level.toLowerCase().includes(level)));
  state.limit = PAGE;
  fillList();
}
function fillList() {
  const list = get("list"), rows = document.createDocumentFragment();
  state.shown.slice(0, state.limit).forEach(each => rows.append(entry(each)));
  if (state.shown.length > state.limit) {
    const more = make("button", "more", `${(state.shown.length - state.limit).toLocaleString("en")} more`);
    more.addEventListener("click", () => { state.limit += PAGE; fillList(); });
    rows.append(more);
  }
  list.replaceChildren(rows);
  get("count").textContent = plural(state.shown.length, "episode");
}
function entry(each) {
  const row = make("div", `entry${each === state.chosen ? " chosen" : ""}`);
  row.setAttribute("role", "option");
  row.episode = each;
  const optimal = each.optimal === null ? "" : ` / ${each.optimal}`;
  row.append(make("span", `mark ${failureStyle(each.failure)}`), make("span", "name", each.level + (each.disguise ? ` (${each.disguise})` : "")),
    make("span", "steps", `${each.steps}${optimal}`));
  const who = get("who").value === "" ? `${index.contenders[each.who].label} ` : "";
  const words = [`${who}#${each.number}`, each.failure];
  if (each.dead !== null) words.push(`no way out after step ${each.dead}`);
  else if (each.mistake !== null) words.push(`first mistake ${each.mistake}`);
  row.append(make("span", "sub", words.join(" \u00b7 ")));
  row.addEventListener("click", () => choose(each));
  return row;
}
function another(by) {
  const place = state.shown.indexOf(state.chosen) + by;
  if (place < 0 || place >= state.shown.length) return;
  if (place >= state.limit) { state.limit += PAGE; fillList(); }
  choose(state.shown[place]);
  const row = get("list").children[place];
  if (row) row.scrollIntoView({block: "nearest"});
}

get("who").append(option("", "everybody"), ...index.contenders.map((each, number) => option(number, each.label)));
get("outcome").append(option("", "any"), ...FAILURES.filter(name => episodes.some(each => each.failure === name)).map(name => option(name, name)));
["who", "outcome"].forEach(id => get(id).addEventListener("change", filter));
get("level").addEventListener("input", filter);
get("scrub").addEventListener("input", event => { stop(); go(Number(event.target.value)); });
get("beside").addEventListener("change", event => choose(state.chosen, event.target.value === "" ? null : state.others[Number(event.target.value)]));
const buttons = {first: () => go(0), back: () => go(state.step - 1), next: () => go(state.step + 1), last: () => go(longest()), play: playOrStop, mistake: nextMistake};
Object.entries(buttons).forEach(([id, act]) => get(id).addEventListener("click", () => { if (id !== "play") stop(); act(); }));
const keys = {ArrowLeft: buttons.back, ArrowRight: buttons.next, Home: buttons.first, End: buttons.last, " ": playOrStop, m: nextMistake,
  ArrowUp: () => another(-1), ArrowDown: () => another(1)};
document.addEventListener("keydown", event => {
  const box = get("stage").getBoundingClientRect();
  const typing = ["INPUT", "SELECT", "TEXTAREA", "SUMMARY"].includes(event.target.tagName) && event.target.id !== "scrub";
  const away = box.bottom < 0 || box.top > window.innerHeight;  // elsewhere the keys scroll the page
  const pressing = event.key === " " && event.target.tagName === "BUTTON";
  if (typing || away || pressing || !(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (event.key !== " ") stop();
  keys[event.key]();
});
window.addEventListener("resize", () => state.players.forEach(player => player.drawStrip(state.step)));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.players.forEach(player => player.drawStrip(state.step)));
filter();
const seen = episodes.filter(each => each.replay !== null);
const link = LINK.exec(location.hash);
if (link) state.open = Boolean(link[3]);
const begin = (link && episodes[Number(link[1])]) || seen.find(each => each.queries !== null && each.mistake !== null) || seen.find(each => each.queries !== null) || seen[0];
if (begin) {
  if (begin.who) { get("who").value = begin.who; filter(); }
  choose(begin, null, link ? Number(link[2] || 0) : 0);
  if (link) get("episodes").scrollIntoView();
}
document.documentElement.dataset.ready = "yes";
