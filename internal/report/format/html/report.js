(function () {
  "use strict";
  const $ = (sel, at) => Array.from((at || document).querySelectorAll(sel));
  const sources = JSON.parse(document.getElementById("sources").textContent) || {};
  const findings = $(".f");
  document.documentElement.classList.add("js");

  // Filter, search, order.
  const chosen = { verdict: new Set(), kind: new Set() };
  const query = document.getElementById("q");
  const pkg = document.getElementById("package");
  function filter() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const f of findings) {
      const d = f.dataset;
      const is = (!chosen.verdict.size || chosen.verdict.has(d.verdict)) && (!chosen.kind.size || chosen.kind.has(d.kind)) &&
        (!pkg.value || d.package === pkg.value) && words.every((w) => d.text.includes(w));
      f.hidden = !is;
      n += is;
    }
    document.getElementById("shown").textContent = n === findings.length ? n + (n === 1 ? " finding" : " findings") : n + " of " + findings.length + " findings";
  }
  function chips(box) {
    const by = box.dataset.by, count = new Map();
    for (const f of findings) count.set(f.dataset[by], (count.get(f.dataset[by]) || 0) + 1);
    if (count.size < 2) return;
    for (const [value, n] of count) {
      const b = document.createElement("button");
      b.type = "button";
      b.className = "chip";
      b.textContent = value + " " + n;
      b.setAttribute("aria-pressed", "false");
      b.onclick = () => {
        const on = !chosen[by].delete(value);
        if (on) chosen[by].add(value);
        b.setAttribute("aria-pressed", String(on));
        filter();
      };
      box.append(b);
    }
  }
  const sure = ["confirmed", "observed", "predicted", "possible"];
  const orders = {
    "": () => 0,
    sure: (a, b) => sure.indexOf(a.dataset.verdict) - sure.indexOf(b.dataset.verdict),
    variable: (a, b) => a.dataset.variable.localeCompare(b.dataset.variable),
  };
  if (query) {
    $(".chips").forEach(chips);
    query.oninput = pkg.onchange = filter;
    const sort = document.getElementById("sort");
    sort.onchange = () => findings.slice().sort(orders[sort.value]).forEach((f) => f.parentNode.append(f));
    filter();
  }

  // Going through a schedule. A step is what shares a row: the last accesses of a schedule are one.
  const players = new Map();
  let active = null;
  function player(f) {
    if (players.has(f)) return players.get(f);
    const box = f.querySelector(".player");
    if (!box) return null;
    const p = { f, box, rows: [], at: 0 };
    for (const m of $(".stepped .m:not(.gap)", f)) {
      const last = p.rows[p.rows.length - 1];
      if (last && last[0].dataset.y === m.dataset.y) last.push(m);
      else p.rows.push([m]);
    }
    p.twins = new Map($(".run:not(.stepped) .m[data-e]", f).map((m) => [m.dataset.e, m]));
    players.set(f, p);
    return p;
  }
  function show(p, at) {
    p.at = Math.max(0, Math.min(p.rows.length, at));
    active = p;
    p.f.querySelector(".stepped").classList.toggle("playing", p.at > 0);
    $(".twin", p.f).forEach((m) => m.classList.remove("twin"));
    p.rows.forEach((row, i) => row.forEach((m) => {
      m.classList.toggle("cur", i === p.at - 1);
      m.classList.toggle("todo", i > p.at - 1);
      if (i === p.at - 1 && p.twins.has(m.dataset.e)) p.twins.get(m.dataset.e).classList.add("twin");
    }));
    for (const pane of $(".pane", p.box)) {
      let last = null, now = false;
      for (let i = 0; i < p.at; i++) for (const m of p.rows[i]) if (m.dataset.g === pane.dataset.g && m.dataset.f) { last = m; now = i === p.at - 1; }
      pane.classList.toggle("some", !!last);
      pane.classList.toggle("now", now);
      if (last) fill(pane, last.dataset.f, Number(last.dataset.l));
    }
    p.box.querySelector(".at").textContent = p.at ? "step " + p.at + " of " + p.rows.length : p.rows.length + " steps; the arrow keys go through them";
    for (const b of $("button", p.box)) b.disabled = /first|back/.test(b.dataset.go) ? p.at === 0 : p.at === p.rows.length;
  }
  function fill(pane, file, line) {
    pane.querySelector("h4 span").textContent = file + ":" + line;
    const pre = pane.querySelector("pre"), known = sources[file] || {};
    pre.replaceChildren();
    for (let n = line - 5; n <= line + 5; n++) {
      if (known[n] === undefined) continue;
      const l = document.createElement("span"), b = document.createElement("b");
      l.className = n === line ? "ln hit" : "ln";
      b.textContent = n;
      l.append(b, known[n] + "\n");
      pre.append(l);
    }
  }
  const moves = { first: () => 0, back: (p) => p.at - 1, next: (p) => p.at + 1, last: (p) => p.rows.length };
  document.addEventListener("click", (e) => {
    const f = e.target.closest && e.target.closest(".f"), p = f && f.open && player(f);
    if (!p) return;
    const b = e.target.closest("[data-go]"), m = e.target.closest(".m:not(.gap)");
    if (b) show(p, moves[b.dataset.go](p));
    else if (m) {
      const i = p.rows.findIndex((row) => row.some((x) => x === m || (m.dataset.e && x.dataset.e === m.dataset.e)));
      if (i >= 0) show(p, i + 1);
    }
  });
  document.addEventListener("keydown", (e) => {
    const key = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" }[e.key];
    if (!key || !active || !active.f.open || active.f.hidden || e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    if ((key === "first" || key === "last") && active.at === 0) return;
    show(active, moves[key](active));
    e.preventDefault();
  });
  for (const f of findings) f.addEventListener("toggle", () => {
    const p = f.open && player(f);
    if (p) show(p, p.at);
  });

  // A link to a finding opens it.
  function open() {
    const f = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (f && f.classList.contains("f")) { f.open = true; f.scrollIntoView(); }
  }
  addEventListener("hashchange", open);
  if (findings.length === 1) findings[0].open = true;
  open();
})();
