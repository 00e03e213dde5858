'use strict';
// What a flame graph shows, before it is drawn: the tree of calls, how wide each is, how coloured.

/// The calls of a profile's tree by number, 0 being the root; children are in the order in which
/// they stand.
function flameTree(columns, functions) {
  const of = columns.function.map((f) => functions[f]);
  const children = columns.parent.map(() => []);
  const depth = columns.parent.map(() => 0);
  for (let n = 1; n < columns.parent.length; ++n) {
    children[columns.parent[n]].push(n);
    depth[n] = depth[columns.parent[n]] + 1;
  }
  const tree = {...columns, functions, of, children, depth};
  const width = (n) => flameWidth(tree, n, Boolean(columns.before));
  for (const list of children)
    list.sort((a, b) => width(b) - width(a) || of[a].name.localeCompare(of[b].name));
  return tree;
}

/// Against a base a call is as wide as its larger side, so that what went away is still seen.
function flameWidth({total, before}, n, changes) {
  return changes ? Math.max(total[n], before[n]) : total[n];
}

/// What stands where when `zoomed` is as wide as the graph, its callers above it. A `left` and a
/// `size` are shares of 1.
function flamePlaces(tree, zoomed, changes) {
  const places = [];
  for (let n = zoomed; n !== 0;) {
    n = tree.parent[n];
    places.unshift({n, left: 0, size: 1, above: true});
  }
  const put = (n, left, size) => {
    places.push({n, left, size, above: false});
    const widths = tree.children[n].map((child) => flameWidth(tree, child, changes));
    // Sides of different shape may make children wider than their parent: fit them.
    const sum = widths.reduce((total, width) => total + width, 0);
    const scale = size / Math.max(flameWidth(tree, n, changes), sum, 1e-9);
    let at = left;
    tree.children[n].forEach((child, k) => {
      const part = widths[k] * scale;
      if (part > 0.0006) put(child, at, part);
      at += part;
    });
  };
  put(zoomed, 0, 1);
  return places;
}

function flameColour(tree, n, changes) {
  return changes ? colourOfChange(tree, n) : colourOfName(tree.of[n].object, tree.of[n].name);
}

function colourOfChange({total, before}, n) {
  const delta = total[n] - before[n];
  if (Math.abs(delta) < 0.001 * Math.max(total[0], before[0])) return '#e6e2da';
  // By its own size, so that the function that changed stands out from the callers above it,
  // which all changed a little.
  const strength = Math.sqrt(Math.abs(delta) / Math.max(total[n], before[n], 1e-9));
  return delta > 0
    ? `hsl(6 ${40 + 42 * strength}% ${90 - 30 * strength}%)`
    : `hsl(212 ${40 + 38 * strength}% ${90 - 28 * strength}%)`;
}

/// A hue for each library, a shade for each function.
function colourOfName(object, name) {
  const hashed = (text, factor) =>
    [...text].reduce((hash, letter) => (hash * factor + letter.charCodeAt(0)) >>> 0, 0);
  const known = {Python: 212, 'Python (site-packages)': 265, 'Python (standard library)': 165};
  const hue = known[object] ?? [38, 26, 152, 205, 265, 340, 88, 180][hashed(object, 31) % 8];
  const shade = hashed(name, 33);
  return `hsl(${hue} ${46 + (shade % 14)}% ${76 + (shade % 9)}%)`;
}

function flameWords({of, total, before}, n) {
  const base = before && `base ${count(before[n])}, ${signed(total[n] - before[n])}`;
  return [
    of[n].name,
    of[n].object,
    `${count(total[n])} instructions per iteration, ${share(total[n], total[0])}`,
    base,
    callsOf(of[n]) && `the function: ${callsOf(of[n])} per iteration`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/// One tree of what leads to the function `f` (`up`), or of what it calls: the calls of all its
/// nodes put together, each outermost, for what it calls within itself is inside it.
function treeAround(tree, f, up) {
  const columns = {function: [f], parent: [0], total: [0], before: tree.before && [0]};
  const places = [new Map()];
  const at = (parent, function_) => {
    const known = places[parent].get(function_);
    if (known !== undefined) return known;
    places[parent].set(function_, columns.function.length);
    places.push(new Map());
    columns.function.push(function_);
    columns.parent.push(parent);
    columns.total.push(0);
    columns.before?.push(0);
    return columns.function.length - 1;
  };
  const add = (place, n) => {
    columns.total[place] += tree.total[n];
    if (columns.before) columns.before[place] += tree.before[n];
  };
  const below = (n, place) => {
    for (const child of tree.children[n]) {
      const there = at(place, tree.function[child]);
      add(there, child);
      below(child, there);
    }
  };
  const inside = (n) => {
    for (let above = n; above !== 0;) {
      above = tree.parent[above];
      if (tree.function[above] === f) return true;
    }
    return false;
  };
  tree.function.forEach((function_, n) => {
    if (function_ !== f || inside(n)) return;
    add(0, n);
    if (!up) below(n, 0);
    for (let above = n, place = 0; up && above !== 0;) {
      above = tree.parent[above];
      place = at(place, tree.function[above]);
      add(place, n);
    }
  });
  return flameTree(columns, tree.functions);
}
