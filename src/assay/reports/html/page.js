"use strict";
(() => {
  // Text of a golden set reaches the page by text nodes only, never as markup.
  const AT = { id: 0, text: 1, type: 2, answerable: 3, abstained: 4, top: 5, values: 6, first: 7, relevant: 8,
    returned: 9, results: 10, missedCount: 11, missed: 12, spans: 13 };
  const PAGE = 25, AROUND = 160, OPENING = 320, PASSAGE = 700, PRINTED = 5, LISTED = 10, TEXTS = 3, WORD = 24;
  const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  const decimals = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));
  const isolated = (text, name) => make("bdi", { class: name }, text);

  /* Tables that stand in the page: a button in each header sorts. */
  function sortable(table) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((cell, place) => {
      const button = make("button", { type: "button" }, ...cell.childNodes);
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const falling = cell.getAttribute("aria-sort") === "ascending";
        for (const other of cell.parentNode.cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const keyed = [...body.rows].map((row, at) => ({ row, at, key: keyOf(row.cells[place]) }));
        keyed.sort((a, b) => compare(a.key, b.key, falling) || a.at - b.at);
        body.append(...keyed.map((one) => one.row));
      });
    });
  }

  function keyOf(cell) {
    if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? null : Number(cell.dataset.value);
    const text = cell.textContent.trim();
    if (text === "" || text === "–") return null;
    return Number.isNaN(Number(text)) ? text : Number(text);
  }

  /* What has no value comes last, whichever way is sorted. */
  function compare(a, b, falling) {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    return falling ? -order : order;
  }

  function scrollable() {
    for (const box of document.querySelectorAll(".wide")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  /* The queries of a run. */
  function queries(data, place) {
    const rows = data.rows;
    const columns = [
      { title: "query", key: (row) => row[AT.id] },
      { title: "type", key: (row) => (row[AT.type] < 0 ? null : data.types[row[AT.type]]), name: "later" },
      ...data.metrics.slice(0, data.columns).map((title, at) => ({ title, key: (row) => row[AT.values][at], name: at ? "number later" : "number", metric: at })),
      { title: "first relevant", key: (row) => row[AT.first] || (row[AT.answerable] ? Infinity : null), name: "number later", first: true },
      { title: "outcome", key: (row) => outcome(row), name: "" },
    ];
    const state = { text: "", type: "", outcome: "", column: -1, falling: false, page: 0, open: new Set() };
    let shown = rows.map((_, at) => at);
    let haystack = null;

    function causesOf(row) {
      const counts = new Map();
      for (const lost of row[AT.missed]) counts.set(lost[2], (counts.get(lost[2]) || 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1]).map(([cause]) => data.causes[cause]);
    }

    function outcome(row) {
      if (!row[AT.answerable]) return row[AT.abstained] ? "empty, as it should be" : "answered, though it has no answer";
      if (!row[AT.missedCount]) return "all found";
      const what = row[AT.relevant] === 1 ? "missed" : `${row[AT.missedCount]} of ${row[AT.relevant]} missed`;
      return `${what}: ${causesOf(row).join(", ")}`;
    }

    function fits(row, at) {
      if (state.type !== "" && String(row[AT.type]) !== state.type) return false;
      if (state.outcome === "found" && !(row[AT.answerable] && !row[AT.missedCount])) return false;
      if (state.outcome === "missed" && !row[AT.missedCount]) return false;
      if (state.outcome === "answered" && (row[AT.answerable] || row[AT.abstained])) return false;
      if (state.outcome === "empty" && !row[AT.abstained]) return false;
      if (state.outcome.startsWith("cause ") && !row[AT.missed].some((lost) => lost[2] === Number(state.outcome.slice(6)))) return false;
      return state.words.every((word) => haystack[at].includes(word));
    }

    const folded = (text) => text.normalize("NFKC").toLowerCase();

    function choose() {
      state.words = folded(state.text).split(/\s+/u).filter(Boolean);
      if (state.words.length && haystack === null) {
        haystack = rows.map((row) => folded([row[AT.id], row[AT.text], row[AT.type] < 0 ? "" : data.types[row[AT.type]], outcome(row),
          ...row[AT.missed].map((lost) => data.documents[lost[0]][0])].join(" ")));
      }
      shown = [];
      rows.forEach((row, at) => { if (fits(row, at)) shown.push(at); });
      if (state.column >= 0) {
        const keys = new Map(shown.map((at) => [at, columns[state.column].key(rows[at])]));
        shown.sort((a, b) => compare(keys.get(a), keys.get(b), state.falling) || a - b);
      }
      state.page = 0;
      draw();
    }

    /* Controls */
    const search = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    const types = make("select", {}, make("option", { value: "" }, "all types"),
      ...data.types.map((title, at) => [title, at]).sort((a, b) => a[0].localeCompare(b[0])).map(([title, at]) => make("option", { value: at }, title)));
    const outcomes = make("select", {}, make("option", { value: "" }, "all outcomes"),
      make("option", { value: "missed" }, "something missed"),
      ...data.causes.map((title, at) => make("option", { value: `cause ${at}` }, `lost by ${title}`)),
      make("option", { value: "found" }, "all found"),
      make("option", { value: "empty" }, "nothing came back"),
      make("option", { value: "answered" }, "answered, though it has no answer"));
    const orders = make("select", {}, make("option", { value: "-1" }, "worst first"),
      ...columns.flatMap(({ title }, at) => [make("option", { value: `${at}` }, `${title}, rising`), make("option", { value: `${at}-` }, `${title}, falling`)]));
    const label = (words, control, id, name) => {
      control.id = id;
      return make("div", { class: name || null }, make("label", { for: id }, words), control);
    };
    const status = make("p", { role: "status", class: "quiet" });
    const head = make("tr", {}, ...columns.map((column, at) => {
      const button = make("button", { type: "button" }, column.title);
      button.addEventListener("click", () => {
        state.falling = state.column === at ? !state.falling : false;
        state.column = at;
        choose();
      });
      return make("th", { scope: "col", class: column.name || null }, button);
    }));
    const body = make("tbody");
    const table = make("table", { class: "queries" }, make("caption", { class: "unseen" }, "Queries of this run"), make("thead", {}, head), body);
    const earlier = make("button", { type: "button" }, "Previous"), later = make("button", { type: "button" }, "Next");
    const where = make("span");
    const pages = make("div", { class: "page-buttons" }, earlier, where, later);
    place.replaceChildren(
      make("div", { class: "controls" }, label("Search ids, texts, documents missed", search, "query-search", "search"),
        data.types.length > 1 ? label("Type", types, "query-type") : null, label("Outcome", outcomes, "query-outcome"),
        label("Order", orders, "query-order")),
      status, make("div", { class: "wide", role: "region", "aria-label": "Queries of this run" }, table), pages);

    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => { state.text = search.value; choose(); }, 120); });
    types.addEventListener("change", () => { state.type = types.value; choose(); });
    outcomes.addEventListener("change", () => { state.outcome = outcomes.value; choose(); });
    orders.addEventListener("change", () => { state.column = parseInt(orders.value, 10); state.falling = orders.value.endsWith("-") && orders.value !== "-1"; choose(); });
    earlier.addEventListener("click", () => turn(-1));
    later.addEventListener("click", () => turn(1));

    function turn(by) {
      state.page += by;
      draw();
      place.scrollIntoView({ block: "start" });
    }

    function draw() {
      const first = state.page * PAGE, last = Math.min(shown.length, first + PAGE);
      body.replaceChildren(...shown.slice(first, last).flatMap((at) => lines(at)));
      [...head.cells].forEach((cell, at) => {
        if (at === state.column) cell.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
      orders.value = state.column < 0 ? "-1" : `${state.column}${state.falling ? "-" : ""}`;
      status.textContent = shown.length === rows.length ? `${number.format(rows.length)} queries` : `${number.format(shown.length)} of ${number.format(rows.length)} queries`;
      where.textContent = shown.length ? `${number.format(first + 1)} to ${number.format(last)} of ${number.format(shown.length)}` : "";
      earlier.disabled = state.page === 0;
      later.disabled = last >= shown.length;
      pages.hidden = shown.length <= PAGE;
      scrollable();
    }

    /* A row, and the row with its details where it is open. */
    function lines(at) {
      const row = rows[at], open = state.open.has(at);
      const button = make("button", { type: "button", class: "open", "aria-expanded": String(open), "aria-controls": open ? `detail-${at}` : null },
        isolated(row[AT.id], "id"), isolated(row[AT.text], "words"));
      const line = make("tr", {}, ...columns.map((column, place) => {
        if (place === 0) return make("td", { class: "question" }, button);
        const key = column.key(row);
        const text = column.metric !== undefined ? decimals(key)
          : column.first ? (row[AT.first] ? String(row[AT.first]) : row[AT.answerable] ? "none" : "–") : key === null ? "–" : key;
        return make("td", { class: column.name || null }, isolated(text));
      }));
      button.addEventListener("click", () => {
        if (state.open.delete(at)) {
          line.nextSibling.remove();
          button.removeAttribute("aria-controls");
        } else {
          state.open.add(at);
          line.after(detail(at));
          button.setAttribute("aria-controls", `detail-${at}`);
        }
        button.setAttribute("aria-expanded", String(state.open.has(at)));
      });
      return open ? [line, detail(at)] : [line];
    }

    /* Details */
    function detail(at) {
      const row = rows[at];
      const cell = make("td", { colspan: columns.length });
      const facts = [row[AT.type] < 0 ? null : data.types[row[AT.type]], ...data.metrics.map((name, place) => (row[AT.values][place] === null ? null : `${name} ${decimals(row[AT.values][place])}`)),
        row[AT.top] === null ? null : `top score ${row[AT.top]}`, `${number.format(row[AT.returned])} ${row[AT.returned] === 1 ? "document" : "documents"} came back`];
      cell.append(make("p", { class: "scores" }, isolated(facts.filter(Boolean).join(" · "))));
      const wanted = make("section", {}, make("h3", {}, "What should be found"), ...wantedList(row));
      const instead = make("section", {}, make("h3", {}, row[AT.missedCount] || !row[AT.answerable] ? "What came back instead" : "What came back"), ...resultList(row));
      cell.append(make("div", { class: "answers" }, wanted, instead));
      return make("tr", { class: "detail", id: `detail-${at}` }, cell);
    }

    function wantedList(row) {
      if (!row[AT.answerable]) return [make("p", {}, "Nothing: the golden set has no answer to it.")];
      const lost = row[AT.missed].map((one) => ({ document: one[0], grade: one[1], chunk: one.slice(4),
        fate: badge(`lost by ${data.causes[one[2]]}`, "bad"), place: one[3] ? `exact rank ${number.format(one[3])}` : "not in exact search's ranking" }));
      const held = new Set(lost.map((one) => one.document));
      const found = row[AT.results].filter((one) => one[4] > 0 && !held.has(one[0])).map((one) => ({ document: one[0], grade: one[4], chunk: [],
        fate: badge("found", "good"), place: `rank ${one[1]}` }));
      const all = [...lost, ...found];
      const items = all.slice(0, LISTED).map((one) => make("li", {},
        make("div", { class: "head" }, ...named(one.document), one.fate, make("span", { class: "number" }, `${one.place}, grade ${one.grade}`)),
        ...evidence(row, one.document, one.chunk)));
      const more = row[AT.relevant] - items.length;
      return [make("ul", { class: "found-list" }, ...items), more > 0 ? make("p", { class: "quiet" }, `and ${number.format(more)} more`) : null].filter(Boolean);
    }

    function resultList(row) {
      const near = row[AT.results].filter((one, at) => one[1] <= LISTED);
      if (!row[AT.returned]) return [make("p", {}, row[AT.answerable] ? "Nothing." : "Nothing, as it should be.")];
      return [make("ol", { class: "found-list" }, ...near.map((one) => make("li", {},
        make("div", { class: "head" }, make("span", { class: "number" }, `${one[1]}.`), ...named(one[0]),
          one[4] === null ? badge("not judged", "neutral") : one[4] > 0 ? badge("relevant", "good") : badge("judged not relevant", "neutral"),
          make("span", { class: "number" }, `score ${one[2]}${one[3] ? ", reranked" : ""}`)),
        passage(row, one))))];
    }

    /* What came back of a document; of later ones behind a summary. */
    function passage(row, one) {
      if (one.length < 6 || !data.hasTexts) return null;
      const text = quote(row, one[0], one[5], Math.min(one[6], one[5] + PASSAGE));
      return one[1] <= TEXTS ? text : make("details", {}, make("summary", {}, "Passage"), text);
    }

    const badge = (words, name) => make("span", { class: `badge ${name}` }, words);

    function named(document) {
      const [id, title] = data.documents[document];
      return title ? [isolated(title, "title"), isolated(id, "id")] : [isolated(id, "title")];
    }

    /* The evidence of a document with its surroundings; without marks its best chunk, or how it opens. */
    function evidence(row, document, chunk) {
      const spans = row[AT.spans].filter((span) => span[0] === document).map((span) => [span[1], span[2]]).sort((a, b) => a[0] - b[0]);
      if (!spans.length) {
        return [chunk.length ? quote(row, document, chunk[0], Math.min(chunk[1], chunk[0] + PASSAGE)) : quote(row, document, 0, OPENING)];
      }
      const windows = [];
      for (const [start, end] of spans) {
        const last = windows[windows.length - 1];
        if (last && start - AROUND <= last[1]) last[1] = Math.max(last[1], end + AROUND);
        else windows.push([Math.max(0, start - AROUND), end + AROUND]);
      }
      return windows.map(([start, end]) => quote(row, document, start, end, true));
    }

    /* Characters start to end of a document, this query's evidence marked, cut between words if asked; offsets count code points. */
    function quote(row, document, start, end, atWords) {
      if (!data.hasTexts) return null;
      const [, , segments, length] = data.documents[document];
      const segment = segments.find((one) => one[0] <= start && start < one[0] + points(one).length);
      if (!segment) return length ? make("p", { class: "quiet" }, "text left out to keep this page small") : make("p", { class: "quiet" }, "empty document");
      const text = points(segment), from = segment[0];
      let stop = Math.min(end, from + text.length);
      const spans = row[AT.spans].filter((span) => span[0] === document && span[1] < stop && span[2] > start).sort((a, b) => a[1] - b[1]);
      const box = make("blockquote", { dir: "auto" });
      let at = start;
      if (atWords && spans.length) {
        const space = (place) => /\s/u.test(text[place - from]);
        const inside = [spans[0][1], Math.max(...spans.map((span) => span[2]))];
        for (let place = start; start > 0 && place < Math.min(inside[0], start + WORD); place += 1) {
          if (space(place)) { at = place + 1; break; }
        }
        for (let place = stop; stop < length && place > Math.max(inside[1], stop - WORD); place -= 1) {
          if (space(place - 1)) { stop = place - 1; break; }
        }
      }
      const slice = (a, b) => text.slice(a - from, b - from).join("");
      if (start > 0) box.append("… ");
      for (const [, first, last] of spans) {
        if (last <= at) continue;
        const opens = Math.max(first, at), closes = Math.min(last, stop);
        if (opens > at) box.append(slice(at, opens));
        box.append(make("mark", {}, slice(opens, closes)));
        at = closes;
      }
      if (at < stop) box.append(slice(at, stop));
      if (stop < length) box.append(" …");
      return box;
    }

    function points(segment) {
      if (segment.length < 3) segment.push(Array.from(segment[1]));
      return segment[2];
    }

    /* On paper the first queries are open, unless the reader has opened some. */
    let opened = [];
    window.addEventListener("beforeprint", () => {
      const visible = shown.slice(state.page * PAGE, state.page * PAGE + PAGE);
      if (visible.some((at) => state.open.has(at))) return;
      opened = visible.slice(0, PRINTED);
      opened.forEach((at) => state.open.add(at));
      draw();
    });
    window.addEventListener("afterprint", () => {
      opened.forEach((at) => state.open.delete(at));
      opened = [];
      draw();
    });

    choose();
  }

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  const island = document.getElementById("queries-data");
  const place = document.getElementById("queries");
  if (island && place) setTimeout(() => { queries(JSON.parse(island.textContent), place); document.documentElement.dataset.ready = "yes"; });
  else document.documentElement.dataset.ready = "yes";
  scrollable();
  window.addEventListener("resize", scrollable);
})();
