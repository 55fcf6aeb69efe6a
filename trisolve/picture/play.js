// The page to play on. `data` is the puzzle as trisolve wrote it into the page (see play.py). A filling is an array
// with the placed tile of each cell, values anticlockwise from corner (or side) 0, or "" where nothing lies.
"use strict";

(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("puzzle").textContent);
const WILD = "W";
const EDGE = data.drawing.edge;
const HEIGHT = EDGE * Math.sqrt(3) / 2;
const corners = data.match === "corners";
const kinds = data.tiles.map(([text]) => text);
const copies = new Map(data.tiles);

const rotations = (text) => [text, text.slice(1) + text[0], text[2] + text.slice(0, 2)];
const kindOf = (() => {
  const table = new Map(kinds.flatMap((kind) => rotations(kind).map((text) => [text, kind])));
  return (text) => table.get(text);
})();

// -- the rules ---------------------------------------------------------------------------------------

const cells = data.cells.map(([row, column, up], index) => ({row, column, up: !!up, index, spots: data.spots[index]}));
const cellAt = new Map(cells.map((cell) => [`${cell.row},${cell.column}`, cell]));
const beside = cells.map(({row, column, up}) =>
  [cellAt.get(`${row},${column - 1}`), cellAt.get(`${row},${column + 1}`), cellAt.get(`${row + (up ? 1 : -1)},${column}`)]
    .filter(Boolean).map((cell) => cell.index));
// For each point (or edge): which corners (or sides) of which cells meet there.
const meeting = [];
cells.forEach((cell) => cell.spots.forEach((spot, k) => (meeting[spot] ??= []).push([cell.index, k])));
const fixedValues = new Map(data.clues.filter(([what]) => what === "value").map(([, spot, value]) => [spot, value]));
const tileClues = data.clues.filter(([what]) => what === "tile");
const fillClues = data.clues.filter(([what]) => what === "filled");
const rim = new Set(data.rim);
const locked = new Map(tileClues.filter(([, , , placed]) => placed).map(([, cell, , placed]) => [cell, placed]));

/** What contradicts the rules now, `wrong`, and what is still to be done, `missing`: both empty when it is solved. */
function judge(filling) {
  const wrong = [];
  const missing = [];
  const used = new Map();
  filling.forEach((text) => text && used.set(kindOf(text), (used.get(kindOf(text)) ?? 0) + 1));
  for (const [kind, number] of used) {
    if (number > (copies.get(kind) ?? 0)) wrong.push({id: `tile ${kind}`, cells: [], why: `there are only ${copies.get(kind) ?? 0} of the tile ${kind}`});
  }
  const shown = meeting.map((ends) => ends.filter(([cell, k]) => filling[cell] && filling[cell][k] !== WILD));
  const values = shown.map((ends) => [...new Set(ends.map(([cell, k]) => filling[cell][k]))]);
  const at = (spot, why) => wrong.push({id: `spot ${spot}`, spot, cells: shown[spot].map(([cell]) => cell), why});
  const border = borderValue(values);
  values.forEach((found, spot) => {
    const fixed = fixedValues.get(spot);
    const onBorder = border !== null && rim.has(spot);
    const listed = [...found].sort().join(" and ");
    if (found.length > 1) at(spot, `${corners ? "corners" : "sides"} that meet there show ${listed}`);
    else if (found.length && fixed !== undefined && found[0] !== fixed) at(spot, `the value ${fixed} is given there, the tile shows ${listed}`);
    else if (found.length && onBorder && found[0] !== border) at(spot, `the border shows ${border} everywhere, the tile shows ${listed} there`);
  });
  for (const [, cell, kind, placed] of tileClues) {
    const text = filling[cell];
    if (text && (kindOf(text) !== kind || (placed ?? text) !== text)) {
      wrong.push({id: `cell ${cell}`, cell, cells: [cell], why: `that cell is for the tile ${placed ?? kind}`});
    } else if (!text) missing.push(`the tile ${kind} belongs in ${nameOf(cell)}`);
  }
  for (const [, cell, filled] of fillClues) {
    if (!filled && filling[cell]) wrong.push({id: `cell ${cell}`, cell, cells: [cell], why: "that cell stays empty"});
    if (filled && !filling[cell]) missing.push(`${nameOf(cell)} must hold a tile`);
  }
  if (data.fill === "board") {
    const empty = filling.filter((text) => !text).length;
    if (empty) missing.push(`${counted(empty, "cell")} to fill`);
  } else {
    const left = kinds.reduce((sum, kind) => sum + Math.max(0, copies.get(kind) - (used.get(kind) ?? 0)), 0);
    if (left) missing.push(`${counted(left, "tile")} to place`);
    if (!connected(filling)) missing.push("the tiles don't hang together yet, side to side");
  }
  return {wrong, missing};
}

/** What the border must show: its value; with `border: same` a value given on it, or else the one it shows most. */
function borderValue(values) {
  if (data.border !== "same") return data.border;
  const given = data.rim.find((spot) => fixedValues.has(spot));
  if (given !== undefined) return fixedValues.get(given);
  const votes = new Map();
  for (const spot of data.rim) for (const value of values[spot]) votes.set(value, (votes.get(value) ?? 0) + 1);
  return [...votes].reduce((best, vote) => (best && best[1] >= vote[1] ? best : vote), null)?.[0] ?? null;
}

function connected(filling) {
  const reached = new Set([filling.findIndex(Boolean)]);
  for (const cell of reached) if (cell >= 0) for (const next of beside[cell]) if (filling[next]) reached.add(next);
  return reached.size >= filling.filter(Boolean).length;
}

// -- the solutions that the page carries ---------------------------------------------------------------

const {alphabet, texts, width, packed, complete, number: carried} = data.solutions;

function* solutions() {
  const digits = new Map([...alphabet].map((character, i) => [character, i]));
  for (let start = 0, i = 0; i < carried; i++) {
    yield cells.map(() => {
      let index = 0;
      for (let k = 0; k < width; k++) index = index * alphabet.length + digits.get(packed[start++]);
      return texts[index];
    });
  }
}

/** How many carried solutions go on from a filling, the first of them, and the one nearest to it. */
function outlook(filling) {
  let fitting = 0, first = null, nearest = null, least = Infinity;
  for (const solution of solutions()) {
    const astray = filling.reduce((sum, text, cell) => sum + (text !== "" && text !== solution[cell]), 0);
    if (!astray) { fitting++; first ??= solution; }
    if (astray < least) { least = astray; nearest = solution; }
  }
  return {fitting, first, nearest};
}

// -- the game ------------------------------------------------------------------------------------------

const START = cells.map((cell) => locked.get(cell.index) ?? "");
const turned = new Map(kinds.map((kind) => [kind, kind]));
let filling = [...START];
let past = [], future = [];
let held = null; // {kind} out of the tray, or {cell}
let moves = 0, hints = 0, before = 0, since = null, solved = false;
let hinted = null, astray = new Set();
let cursor = Math.max(0, cells.findIndex((cell) => !locked.has(cell.index)));

const leftOf = (kind) => copies.get(kind) - filling.filter((text) => text && kindOf(text) === kind).length;
const textHeld = () => (held.kind ? turned.get(held.kind) : filling[held.cell]);
const counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
const nameOf = (cell) => `row ${cells[cell].row + 1}, column ${cells[cell].column + 1}`;

function say(text, tone = "", action = null) {
  $("message").textContent = text;
  $("message").className = tone;
  $("follow").hidden = !action;
  $("follow").textContent = action?.label ?? "";
  $("follow").onclick = action?.run ?? null;
}

/** What would be newly wrong if these cells held these tiles. */
function objections(changes) {
  const next = [...filling];
  changes.forEach(([cell, text]) => { next[cell] = text; });
  const known = new Set(judge(filling).wrong.map((problem) => problem.id));
  const changed = new Set(changes.filter(([, text]) => text).map(([cell]) => cell));
  return judge(next).wrong.filter((problem) => !known.has(problem.id) || problem.cells.some((cell) => changed.has(cell)));
}

/** Do it, unless a wrong move is to be refused. Returns whether it was done. */
function attempt(changes, told, {hint = false, way = 0} = {}) {
  const against = objections(changes);
  const [cell, text] = changes.find(([, text]) => text) ?? changes[0];
  if ($("strict").checked && against.length) {
    const turn = rotations(text).find((other) => other !== text && !objections(changes.map(([c, t]) => [c, c === cell ? other : t])).length);
    say(`${text} doesn't fit in ${nameOf(cell)}: ${against[0].why}.${turn ? " Turned, it would fit." : ""}`, "bad");
    flash(cell);
    marks(against, true);
    return false;
  }
  past.push(filling);
  future = [];
  filling = [...filling];
  changes.forEach(([c, t]) => { filling[c] = t; });
  moves++;
  hinted = hint ? cell : null;
  since ??= Date.now();
  const yet = changed(cell, way);
  if (against.length) say(`${told} That is wrong: ${against[0].why}.`, "bad");
  else if (!solved) say(told + yet, hint ? "good" : "");
  return true;
}

/** After every change of the filling. Returns what is to be said when the last tile is laid and it isn't solved. */
function changed(cell = null, way = 0) {
  astray = new Set();
  const {wrong, missing} = judge(filling);
  const was = solved;
  solved = !wrong.length && !missing.length;
  if (solved) hinted = null;
  if (solved && !was && since) { before += Date.now() - since; since = null; }
  if (!solved && was && moves) since = Date.now();
  draw(cell, way);
  if (solved) {
    const help = hints ? counted(hints, "hint") : "no hints";
    $("summary").textContent = `${spelt(elapsed())}, ${counted(moves, "move")}, ${help}.`;
    say(`Solved in ${spelt(elapsed())}.`, "good");
  }
  keep();
  return wrong.length || kinds.some((kind) => leftOf(kind) > 0) ? "" : ` Not solved yet: ${missing.join("; ")}.`;
}

function place(cell) {
  const text = textHeld();
  if (locked.has(cell)) { say(`The tile in ${nameOf(cell)} is given and stays.`, "bad"); flash(cell); return; }
  const from = held.cell ?? null;
  const changes = [[cell, text], ...(from !== null && from !== cell ? [[from, ""]] : [])];
  const instead = filling[cell] && from !== cell ? ` ${filling[cell]} is back in the tray.` : "";
  if (attempt(changes, `${text} is in ${nameOf(cell)}.${instead}`)) hold(null);
}

function putBack(cell) {
  if (!filling[cell]) { say(`There is no tile in ${nameOf(cell)}.`); return; }
  if (locked.has(cell)) { say(`The tile in ${nameOf(cell)} is given and stays.`, "bad"); flash(cell); return; }
  const text = filling[cell];
  turned.set(kindOf(text), text);
  hold(null);
  attempt([[cell, ""]], `${text} is back in the tray.`);
}

/** Turn the tile in hand by a third: one way with 1, the other with 2. */
function turn(way) {
  if (!held) { say("Take a tile first, then turn it."); return; }
  const text = textHeld();
  const [same, ...others] = rotations(text);
  if (others[0] === same) { say(`${text} looks the same however it lies.`); return; }
  const tries = way === 1 ? others : others.reverse();
  if (held.kind) {
    turned.set(held.kind, tries[0]);
    drawTray(way);
    say(`Turned: ${spoken(tries[0], true)}.`);
    preview();
    return;
  }
  const fits = $("strict").checked ? tries.find((other) => !objections([[held.cell, other]]).length) : tries[0];
  if (fits) attempt([[held.cell, fits]], `Turned: ${spoken(fits, cells[held.cell].up)}.`, {way});
  else { say(`${text} can't lie otherwise in ${nameOf(held.cell)}: ${objections([[held.cell, tries[0]]])[0].why}.`, "bad"); flash(held.cell); }
}

function hold(what) {
  if (!what) endDrag();
  held = what;
  $("back").hidden = held?.cell === undefined;
  $("turn").disabled = !held;
  draw();
  preview();
}

function undo(from, to, told) {
  if (!from.length) { say(`Nothing to ${told}.`); return; }
  to.push(filling);
  filling = from.pop();
  hinted = null;
  hold(null);
  changed();
  if (!solved) say(told === "undo" ? "Undone." : "Done again.");
}

function fresh() {
  past.push(filling);
  future = [];
  filling = [...START];
  moves = hints = before = 0;
  since = hinted = null;
  hold(null);
  changed();
  if (!solved) say("A new game. Undo brings the tiles back.");
}

function noSolutions() {
  return data.solutions.reason ? `This puzzle has no solution: ${data.solutions.reason}.`
    : complete ? "This puzzle has no solution." : "This page carries no solution, so it can't tell. There may be one.";
}

function hint() {
  if (solved) { say("It is solved."); return; }
  if (judge(filling).wrong.length) { check(); return; }
  if (!carried) { say(noSolutions()); return; }
  const {first} = outlook(filling);
  if (!first) { stuck(); return; }
  const open = cells.filter(({index}) => first[index] && !filling[index]);
  const shows = ({spots}) => spots.filter((spot) => meeting[spot].some(([cell]) => filling[cell])).length;
  const best = open.reduce((a, b) => (shows(b) > shows(a) ? b : a)).index;
  hold(null);
  hints++;
  cursor = best;
  attempt([[best, first[best]]], `Hint: ${first[best]} is in ${nameOf(best)}.`, {hint: true});
  show(best);
}

function stuck() {
  const {nearest} = outlook(filling);
  const off = cells.filter(({index}) => filling[index] && filling[index] !== nearest[index]).map((cell) => cell.index);
  const which = complete ? `No solution goes on from here; ${carried === 1 ? "the only one is" : `all ${carried.toLocaleString("en")} are`} known.`
    : `None of the ${counted(carried, "solution")} in this page goes on from here. There may be others.`;
  const takeOff = {label: `Take ${off.length === 1 ? "it" : "them"} off`, run: () => { hold(null); attempt(off.map((cell) => [cell, ""]), `${counted(off.length, "tile")} off. Now it can be solved.`); }};
  say(which, "bad", {label: "Show what is in the way", run: () => {
    astray = new Set(off);
    draw();
    say(`Without ${counted(off.length, "tile")}, marked by dashes, a solution goes on from here.`, "", takeOff);
    $("follow").focus();
  }});
}

function check() {
  if (solved) { say("It is solved.", "good"); return; }
  const {wrong, missing} = judge(filling);
  const todo = missing.length ? ` Still to do: ${missing.join("; ")}.` : "";
  if (wrong.length) { say(`${counted(wrong.length, "place")} wrong. First: ${wrong[0].why}.`, "bad"); return; }
  if (!carried) { say(`Nothing is wrong so far.${todo} ${noSolutions()}`); return; }
  const {fitting} = outlook(filling);
  if (!fitting) { stuck(); return; }
  const which = complete ? counted(fitting, "solution") : `at least ${counted(fitting, "solution")}`;
  say(`Yes, this can be solved: ${which} from here.${todo}`, "good");
}

// -- drawing -------------------------------------------------------------------------------------------

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    // A style attribute would be against the page's policy; the same declarations set by script are not.
    if (name === "style") made.style.cssText = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};
const built = (part) => element(part[0], part[1], ...(part[2] ?? []).map(built));
const single = data.drawing.single;
/** A tile around (0, 0), the middle of its height and breadth; it turns about its centre. */
function tilePicture(text, up, given = false) {
  const way = up ? "u" : "d";
  const drawn = data.drawing.tiles[way + text].map((part) => data.drawing.parts[part]);
  const inner = element("g", {transform: `translate(${-single[0] / 2} ${-single[1] / 2})`}, ...[...drawn, ...(given ? data.drawing.rings[way] : [])].map(built));
  const outer = element("g", {class: "tile"}, inner);
  outer.style.transformOrigin = `0 ${(up ? 1 : -1) * HEIGHT / 6}px`;
  return outer;
}
const [boardWidth, boardHeight] = data.drawing.size;
const middleOf = ({row, column}) => [
  boardWidth / 2 + (column + 1 - (data.columns + 1) / 2) * EDGE / 2,
  boardHeight / 2 + (row + 0.5 - data.rows / 2) * HEIGHT,
];
const cornersOf = (up) => (up ? [[-1, 1], [1, 1], [0, -1]] : [[0, 1], [1, -1], [-1, -1]]).map(([x, y]) => [x * EDGE / 2, y * HEIGHT / 2]);
function placeOf(spot) {
  const [index, k] = meeting[spot][0];
  const [x, y] = middleOf(cells[index]);
  const found = cornersOf(cells[index].up);
  const [a, b] = [found[k], found[corners ? k : (k + 1) % 3]];
  return [x + (a[0] + b[0]) / 2, y + (a[1] + b[1]) / 2];
}
const outline = (up, inset = 0) => {
  const centre = (up ? 1 : -1) * HEIGHT / 6;
  return `M${cornersOf(up).map(([x, y]) => [x * (1 - inset), centre + (y - centre) * (1 - inset)].map((n) => n.toFixed(1)).join(" ")).join("L")}Z`;
};

const board = element("svg", {class: data.drawing.theme, viewBox: `0 0 ${boardWidth} ${boardHeight}`, role: "grid", "aria-label": "Board", "aria-rowcount": data.rows, "aria-colcount": data.columns});
const under = element("g", {"aria-hidden": "true"}, ...data.drawing.board.map(built));
const wrongMarks = element("g", {class: "marks", "aria-hidden": "true"});
const field = element("g", {role: "presentation"});
const views = cells.map((cell) => {
  const [x, y] = middleOf(cell);
  const hit = element("path", {class: "hit", d: outline(cell.up, 0.05)});
  const view = element("g", {class: "cell", role: "gridcell", tabindex: "-1", "data-cell": cell.index, transform: `translate(${x} ${y})`, "aria-colindex": cell.column + 1}, hit);
  let row = field.lastChild;
  if (!row || row.getAttribute("aria-rowindex") !== String(cell.row + 1)) {
    row = element("g", {role: "row", "aria-rowindex": cell.row + 1});
    field.append(row);
  }
  row.append(view);
  return {view, hit, text: null};
});
board.append(under, field, wrongMarks);
$("frame").append(board);

const names = {true: corners ? ["left", "right", "top"] : ["bottom", "right", "left"], false: corners ? ["bottom", "right", "left"] : ["right", "top", "left"]};
const spoken = (text, up) => names[up].map((name, k) => `${name} ${text[k] === WILD ? "wild" : text[k]}`).join(", ");

function labelOf({index, up}, wrong) {
  const text = filling[index];
  const parts = [`${nameOf(index)}, pointing ${up ? "up" : "down"}`, text ? `tile ${spoken(text, up)}` : "empty"];
  if (locked.has(index)) parts.push("given");
  const clue = tileClues.find(([, cell]) => cell === index);
  if (clue && !text) parts.push(`for the tile ${clue[2]}`);
  const fill = fillClues.find(([, cell]) => cell === index);
  if (fill) parts.push(fill[2] ? "must be filled" : "stays empty");
  cells[index].spots.forEach((spot, k) => fixedValues.has(spot) && parts.push(`${names[up][k]} must show ${fixedValues.get(spot)}`));
  if (held?.cell === index) parts.push("in hand");
  if (wrong.has(index)) parts.push("wrong");
  return parts.join(", ");
}

/** Show the filling; the tile in the cell that has just changed, turned this way or laid down, moves a little. */
function draw(latest = null, way = 0) {
  const {wrong} = judge(filling);
  const bad = new Set(wrong.flatMap((problem) => problem.cells));
  cells.forEach((cell) => {
    const {index, up} = cell;
    const shown = views[index];
    const text = filling[index];
    if (shown.text !== text) {
      shown.view.querySelector(".tile:not(.preview)")?.remove();
      if (text) shown.view.insertBefore(tilePicture(text, up, locked.has(index)), shown.hit);
      shown.text = text;
    }
    const tile = shown.view.querySelector(".tile:not(.preview)");
    if (tile) {
      tile.classList.remove("turned", "other", "laid", "lifted");
      if (index === latest || (solved && latest !== null)) tile.classList.add(...(way && index === latest ? ["turned", way === 2 ? "other" : "one"] : ["laid"]));
      tile.style.animationDelay = solved ? `${(cell.column + cell.row) * 40}ms` : "";
    }
    const classes = {free: text && !locked.has(index), held: held?.cell === index, hinted: hinted === index, astray: astray.has(index)};
    for (const [name, on] of Object.entries(classes)) shown.view.classList.toggle(name, !!on);
    shown.view.setAttribute("aria-label", labelOf(cell, bad));
    shown.view.setAttribute("tabindex", index === cursor ? "0" : "-1");
    shown.view.setAttribute("aria-selected", held?.cell === index);
  });
  board.classList.toggle("solved", solved);
  marks(wrong, false);
  drawTray();
  $("undo").disabled = !past.length;
  $("redo").disabled = !future.length;
  $("moves").textContent = counted(moves, "move");
  $("end").hidden = !solved;
  $("tray").hidden = $("choice").hidden = solved;
}

/** Crosses where something is wrong; those of a move that isn't made come on top of the others. */
function marks(wrong, maybe) {
  wrongMarks.querySelectorAll(maybe ? ".maybe" : "*").forEach((mark) => mark.remove());
  for (const {spot, cell} of wrong) {
    if (spot === undefined && cell === undefined) continue;
    const [x, y] = spot === undefined ? middleOf(cells[cell]) : placeOf(spot);
    wrongMarks.append(element("g", {class: maybe ? "wrong maybe" : "wrong", transform: `translate(${x} ${y})`},
      element("circle", {r: 13}), element("path", {d: "M-5 -5L5 5M5 -5L-5 5"})));
  }
}

let trayCursor = kinds[0];
function drawTray(way = 0) {
  const there = kinds.filter((kind) => leftOf(kind) > 0);
  const tray = $("tray");
  const focused = tray.contains(document.activeElement);
  const gone = kinds.indexOf(trayCursor);
  if (!there.includes(trayCursor)) trayCursor = there.find((kind) => kinds.indexOf(kind) > gone) ?? there.at(-1) ?? null;
  for (const item of [...tray.children]) if (!there.includes(item.dataset.kind)) item.remove();
  there.forEach((kind, i) => {
    let item = [...tray.children].find((child) => child.dataset.kind === kind);
    if (!item) {
      item = document.createElement("li");
      item.dataset.kind = kind;
      item.setAttribute("role", "option");
      tray.insertBefore(item, tray.children[i] ?? null);
    }
    const text = turned.get(kind);
    if (item.dataset.text !== text) {
      const picture = element("svg", {class: data.drawing.theme, viewBox: `${-EDGE / 2} ${-HEIGHT / 2} ${EDGE} ${HEIGHT}`, "aria-hidden": "true"}, tilePicture(text, true));
      item.querySelector("svg")?.remove();
      item.prepend(picture);
      if (way && item.dataset.text) picture.firstChild.classList.add("turned", way === 2 ? "other" : "one");
      item.dataset.text = text;
    }
    const number = leftOf(kind);
    item.querySelector("b")?.remove();
    if (copies.get(kind) > 1) {
      const badge = document.createElement("b");
      badge.textContent = number;
      item.append(badge);
    }
    item.setAttribute("aria-label", `tile ${spoken(text, true)}${copies.get(kind) > 1 ? `, ${number} left` : ""}`);
    item.setAttribute("aria-selected", held?.kind === kind);
    item.tabIndex = kind === trayCursor ? 0 : -1;
  });
  if (focused && !tray.contains(document.activeElement)) focusTray();
  const left = there.reduce((sum, kind) => sum + leftOf(kind), 0);
  $("left").textContent = solved ? (left ? `${counted(left, "tile")} left over` : "All tiles placed") : `${counted(left, "tile")} left`;
}
const focusTray = () => [...$("tray").children].find((item) => item.dataset.kind === trayCursor)?.focus();

function flash(cell) {
  const {view} = views[cell];
  const inner = view.querySelector(".tile") ?? view.querySelector(".hit");
  inner.classList.remove("refused");
  void board.getBoundingClientRect();
  inner.classList.add("refused");
}

/** The tile in hand where it would lie, with what would be wrong. */
function preview(cell = null) {
  board.querySelectorAll(".preview").forEach((shown) => shown.remove());
  board.querySelectorAll(".target").forEach((shown) => shown.classList.remove("target"));
  board.querySelectorAll(".lifted").forEach((shown) => shown.classList.remove("lifted"));
  marks([], true);
  if (!held) return;
  const target = cell ?? (views[cursor].view === document.activeElement ? cursor : null);
  if (held.cell !== undefined && (drag || target !== null)) views[held.cell].view.querySelector(".tile").classList.toggle("lifted", !!drag || target !== held.cell);
  if (target === null || locked.has(target) || (filling[target] && !drag) || target === held.cell) return;
  const {view, hit} = views[target];
  view.classList.add("target");
  const ghost = tilePicture(textHeld(), cells[target].up);
  ghost.classList.add("preview");
  view.insertBefore(ghost, hit);
  marks(objections([[target, textHeld()], ...(held.cell !== undefined ? [[held.cell, ""]] : [])]), true);
}

function show(cell) { views[cell].view.scrollIntoView({block: "nearest", inline: "nearest"}); }

// -- size ----------------------------------------------------------------------------------------------

// The table goes on around the board, and the tray is like an empty cell, in whichever colours these are drawn.
const lights = matchMedia("(prefers-color-scheme: dark)");
function paint() {
  $("frame").parentElement.style.background = getComputedStyle(under.firstChild).fill;
  const slot = under.querySelector(".ts-slot");
  if (slot) $("tray").style.background = getComputedStyle(slot).fill;
}
lights.addEventListener("change", paint);
paint();

let zoom = 1;
function fit() {
  const {clientWidth, clientHeight} = $("frame").parentElement;
  const scale = Math.min(clientWidth / boardWidth, clientHeight / boardHeight, 1.7);
  board.setAttribute("width", Math.floor(boardWidth * scale * zoom));
  board.setAttribute("height", Math.floor(boardHeight * scale * zoom));
}
function zoomBy(factor) {
  const frame = $("frame");
  const across = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
  const down = (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight;
  zoom = Math.min(8, Math.max(1, zoom * factor));
  $("smaller").disabled = zoom === 1;
  fit();
  frame.scrollTo(across * frame.scrollWidth - frame.clientWidth / 2, down * frame.scrollHeight - frame.clientHeight / 2);
}
new ResizeObserver(fit).observe($("frame").parentElement);

// -- mouse, pen and touch ------------------------------------------------------------------------------

let pressed = null; // where a pointer went down, and on which tile
let drag = null; // {x, y}: the tile in hand follows the pointer
let swallow = false; // the click that ends a drag is no tap

/** The cell whose centre is nearest to a place on the screen, or null when none is near. */
function cellNear(x, y) {
  const {left, top, right, bottom} = $("frame").getBoundingClientRect();
  if (x < left || x > right || y < top || y > bottom) return null;
  const place = new DOMPoint(x, y).matrixTransform(board.getScreenCTM().inverse());
  let best = null, least = 0.6 * EDGE;
  for (const cell of cells) {
    const [cx, cy] = middleOf(cell);
    const far = Math.hypot(place.x - cx, place.y - cy - (cell.up ? 1 : -1) * HEIGHT / 6);
    if (far < least) { least = far; best = cell.index; }
  }
  return best;
}
const overTray = (x, y) => {
  const {left, top, right, bottom} = document.querySelector(".side").getBoundingClientRect();
  return x >= left && x <= right && y >= top && y <= bottom;
};

function follow() {
  const ghost = $("ghost");
  const target = cellNear(drag.x, drag.y);
  const up = target === null ? (held.kind ? true : cells[held.cell].up) : cells[target].up;
  const scale = board.getBoundingClientRect().width / boardWidth;
  const shown = `${textHeld()} ${up}`;
  if (ghost.dataset.shown !== shown) ghost.replaceChildren(tilePicture(textHeld(), up));
  ghost.dataset.shown = shown;
  ghost.setAttribute("viewBox", `${-EDGE / 2} ${-HEIGHT / 2} ${EDGE} ${HEIGHT}`);
  ghost.setAttribute("width", EDGE * scale);
  ghost.setAttribute("height", HEIGHT * scale);
  ghost.style.transform = `translate(${drag.x - EDGE * scale / 2}px, ${drag.y - HEIGHT * scale / 2}px)`;
  ghost.classList.add("shown");
  $("tray").classList.toggle("drop", held.cell !== undefined && overTray(drag.x, drag.y));
  preview(target);
}

function endDrag() {
  drag = pressed = null;
  document.body.classList.remove("dragging");
  $("ghost").classList.remove("shown");
  $("tray").classList.remove("drop");
}

document.addEventListener("pointerdown", (event) => {
  swallow = false;
  if (event.button || !event.isPrimary) return;
  const item = event.target.closest("#tray li");
  const view = event.target.closest(".cell.free");
  if (item) pressed = {x: event.clientX, y: event.clientY, what: {kind: item.dataset.kind}};
  else if (view) pressed = {x: event.clientX, y: event.clientY, what: {cell: Number(view.dataset.cell)}};
});
addEventListener("pointermove", (event) => {
  if (pressed && !drag && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 6) {
    hold(pressed.what);
    drag = {};
    document.body.classList.add("dragging");
  }
  if (drag) {
    // A finger hides what is under it, so the tile is carried above it.
    drag.x = event.clientX;
    drag.y = event.clientY - (event.pointerType === "touch" ? 44 : 0);
    follow();
  } else if (held && event.pointerType === "mouse") {
    const view = event.target.closest?.(".cell");
    preview(view ? Number(view.dataset.cell) : null);
  }
});
addEventListener("pointerup", () => {
  if (!drag) { pressed = null; return; }
  const {x, y} = drag;
  const target = cellNear(x, y);
  swallow = true;
  endDrag();
  if (target !== null && target !== held.cell) { cursor = target; place(target); }
  else if (target === null && held.cell !== undefined && overTray(x, y)) putBack(held.cell);
  const refusal = wrongMarks.querySelectorAll(".maybe").length;
  if (held) { held = null; $("back").hidden = true; $("turn").disabled = true; if (refusal) keepMarks(draw); else hold(null); }
});
addEventListener("pointercancel", () => { endDrag(); hold(null); });
addEventListener("wheel", (event) => {
  if (!drag && !(held && event.target.closest(".cell, #tray li[aria-selected=true]"))) return;
  event.preventDefault();
  turn(event.deltaY > 0 ? 1 : 2);
  if (drag) follow();
}, {passive: false});

/** Redraw, but leave the crosses of a refused move. */
function keepMarks(redraw) {
  const kept = [...wrongMarks.querySelectorAll(".maybe")];
  redraw();
  board.querySelectorAll(".preview").forEach((shown) => shown.remove());
  board.querySelectorAll(".target").forEach((shown) => shown.classList.remove("target"));
  wrongMarks.append(...kept);
}

/** A tap on a cell, or Enter there. */
function act(cell) {
  cursor = cell;
  if (held && held.cell === cell) turn(1);
  else if (filling[cell] && !locked.has(cell)) { hold({cell}); say(`${filling[cell]} is in hand: ${spoken(filling[cell], cells[cell].up)}.`); }
  else if (held) place(cell);
  else if (locked.has(cell)) say(`The tile in ${nameOf(cell)} is given and stays.`);
  else say("An empty cell. Take a tile from the tray first.");
}
function pick(kind) {
  trayCursor = kind;
  if (held?.kind === kind) { turn(1); return; }
  hold({kind});
  say(`${turned.get(kind)} is in hand. Lay it in a cell; tap it again to turn it.`);
}
board.addEventListener("click", (event) => {
  const view = event.target.closest(".cell");
  if (swallow) return;
  if (view) act(Number(view.dataset.cell));
  else if (held) { hold(null); say("The tile is let go."); }
});
$("tray").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (swallow) return;
  if (item) pick(item.dataset.kind);
  else if (held?.cell !== undefined) putBack(held.cell);
});

// -- keyboard ------------------------------------------------------------------------------------------

/** The cell that an arrow key leads to: the next one in the row, or the one straight above or below. */
function step(from, key) {
  const {row, column} = cells[from];
  const across = {ArrowLeft: -1, ArrowRight: 1}[key];
  const down = {ArrowUp: -1, ArrowDown: 1}[key];
  let found = cells.filter((cell) => (across ? cell.row === row && (cell.column - column) * across > 0 : (cell.row - row) * down > 0));
  if (key === "Home" || key === "End") found = cells.filter((cell) => cell.row === row);
  const far = (cell) => (key === "Home" ? cell.column : key === "End" ? -cell.column
    : Math.abs(cell.row - row) * 1e6 + Math.abs(cell.column - column));
  return found.length ? found.reduce((a, b) => (far(b) < far(a) ? b : a)).index : from;
}

function goTo(cell) {
  views[cursor].view.setAttribute("tabindex", "-1");
  cursor = cell;
  views[cell].view.setAttribute("tabindex", "0");
  views[cell].view.focus({preventScroll: true});
  show(cell);
}

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
function onBoard(event) {
  const cell = Number(event.target.dataset.cell);
  if (ARROWS.includes(event.key)) goTo(step(cell, event.key));
  else if (event.key === "Enter" || event.key === " ") act(cell);
  else if (event.key === "Delete" || event.key === "Backspace") putBack(cell);
  else return false;
  return true;
}
function onTray(event) {
  const there = [...$("tray").children].map((item) => item.dataset.kind);
  const at = there.indexOf(event.target.dataset.kind);
  if (ARROWS.includes(event.key)) {
    const to = {Home: 0, End: there.length - 1}[event.key] ?? at + (["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1);
    trayCursor = there[Math.max(0, Math.min(there.length - 1, to))];
    drawTray();
    focusTray();
  } else if (event.key === "Enter" || event.key === " ") {
    if (held?.kind !== event.target.dataset.kind) pick(event.target.dataset.kind);
    say(`${turned.get(held.kind)} is in hand. Arrows go to a cell, Enter lays it down, R turns it.`);
    goTo(cursor);
  } else return false;
  return true;
}
/** What R turns when nothing is in hand: the tile that has the focus. */
function turnFocused(way) {
  const {cell, kind} = document.activeElement?.dataset ?? {};
  const mine = held ? null : kind ? {kind} : cell !== undefined && filling[cell] ? {cell: Number(cell)} : null;
  if (mine?.cell !== undefined && locked.has(mine.cell)) { say("That tile is given and stays as it lies.", "bad"); return; }
  if (mine) hold(mine);
  turn(way);
  if (mine) { const told = $("message").textContent, tone = $("message").className; hold(null); if (!solved) say(told, tone); }
}

document.addEventListener("keydown", (event) => {
  if ($("help").open || event.altKey || event.target.closest("input") && event.key === " ") return;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) undo(past, future, "undo");
    else if (key === "y" || key === "z") undo(future, past, "redo");
    else return;
    event.preventDefault();
    return;
  }
  const done = event.target.closest(".cell") ? onBoard(event) : event.target.closest("#tray li") ? onTray(event) : false;
  const keys = {r: () => turnFocused(1), R: () => turnFocused(2), h: hint, c: check, u: () => undo(past, future, "undo"),
    U: () => undo(future, past, "redo"), "?": help, "+": () => zoomBy(1.4), "-": () => zoomBy(1 / 1.4),
    Escape: () => { if (held) { if (drag) endDrag(); hold(null); say("The tile is let go."); } }};
  if (!done && keys[event.key]) keys[event.key]();
  else if (!done) return;
  if (drag) follow();
  event.preventDefault();
});
board.addEventListener("focusin", (event) => {
  const view = event.target.closest(".cell");
  if (!view) return;
  cursor = Number(view.dataset.cell);
  preview();
});
board.addEventListener("focusout", () => preview());

// -- buttons, clock, memory ----------------------------------------------------------------------------

function help() { $("help").showModal(); }
$("undo").onclick = () => undo(past, future, "undo");
$("redo").onclick = () => undo(future, past, "redo");
$("turn").onclick = () => turn(1);
$("hint").onclick = hint;
$("check").onclick = check;
$("new").onclick = fresh;
$("again").onclick = () => { fresh(); focusTray(); };
$("ask").onclick = help;
$("close").onclick = () => $("help").close();
$("back").onclick = () => putBack(held.cell);
$("larger").onclick = () => zoomBy(1.4);
$("smaller").onclick = () => zoomBy(1 / 1.4);
$("strict").onchange = () => say($("strict").checked ? "Wrong moves are refused." : "Wrong moves are allowed and marked.");

const elapsed = () => before + (since ? Date.now() - since : 0);
function spelt(time) {
  const seconds = Math.floor(time / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}` : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}
const tick = () => { $("clock").textContent = spelt(elapsed()); };
setInterval(tick, 500);
document.addEventListener("visibilitychange", () => {
  if (document.hidden && since) { before += Date.now() - since; since = null; keep(); }
  else if (!document.hidden && before && !solved) since = Date.now();
});

// A browser may forbid pages on the disk to keep anything: then a game lasts as long as the page is open.
const KEY = `trisolve ${data.key}`;
function keep() {
  try { localStorage.setItem(KEY, JSON.stringify({filling, moves, hints, time: elapsed()})); } catch { /* not kept */ }
}
function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    const right = kept && kept.filling.length === cells.length && kept.filling.every((text, i) => text === "" || kindOf(text) && (START[i] || text) === text);
    if (!right || START.some((text, i) => text && kept.filling[i] !== text) || kept.filling.every((text, i) => text === START[i])) return false;
    filling = kept.filling;
    if (kinds.some((kind) => leftOf(kind) < 0)) { filling = [...START]; return false; }
    const whole = (number) => Math.min(Math.max(0, Math.floor(Number(number)) || 0), Number.MAX_SAFE_INTEGER);
    [moves, hints, before] = [kept.moves, kept.hints, kept.time].map(whole);
    return true;
  } catch { return false; }
}

$("aim").textContent = data.rules.join(" ");
$("known").textContent = !carried ? noSolutions()
  : complete ? `Hints come from ${carried === 1 ? "the only solution" : `all ${counted(carried, "solution")}`} of this puzzle.` : `Hints come from ${counted(carried, "solution")} in this page; the puzzle may have more.`;
const again = recall();
hold(null);
changed();
if (!solved) say(!carried ? noSolutions() : again ? "Your game from before is back." : data.rules[0]);
tick();
fit();
$("smaller").disabled = true;

// For tests, and for the curious: the rules, the solutions and the game as it stands.
globalThis.trisolve = Object.freeze({data, judge, outlook, solutions: () => [...solutions()], filling: () => [...filling]});
})();
