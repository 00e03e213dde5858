'use strict';
// What a flame graph shows, before it is drawn: the tree of calls, how wide each is, how coloured.

/// The calls by number, 0 being the root; children are in the order in which they stand.
function flameTree(flame) {
  const names = flame.names.map((id) => data.strings[id]);
  const objects = flame.objects.map((id) => data.strings[id]);
  const children = flame.parents.map(() => []);
  const depth = flame.parents.map(() => 0);
  for (let n = 1; n < flame.parents.length; ++n) {
    children[flame.parents[n]].push(n);
    depth[n] = depth[flame.parents[n]] + 1;
  }
  const tree = {flame, names, objects, children, depth};
  const width = (n) => flameWidth(tree, n, Boolean(flame.bases));
  for (const list of children)
    list.sort((a, b) => width(b) - width(a) || names[a].localeCompare(names[b]));
  return tree;
}

/// Against a base a call is as wide as its larger side, so that what went away is still seen.
function flameWidth({flame}, n, changes) {
  return changes ? Math.max(flame.totals[n], flame.bases[n]) : flame.totals[n];
}

/// What stands where when `zoomed` is as wide as the graph, its callers above it. A `left` and a
/// `size` are shares of 1.
function flamePlaces(tree, zoomed, changes) {
  const places = [];
  for (let n = zoomed; n !== 0;) {
    n = tree.flame.parents[n];
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
  return changes ? colourOfChange(tree.flame, n) : colourOfName(tree.objects[n], tree.names[n]);
}

function colourOfChange(flame, n) {
  const delta = flame.totals[n] - flame.bases[n];
  if (Math.abs(delta) < 0.001 * Math.max(flame.totals[0], flame.bases[0])) return '#e6e2da';
  // By its own size, so that the function that changed stands out from the callers above it,
  // which all changed a little.
  const strength = Math.sqrt(Math.abs(delta) / Math.max(flame.totals[n], flame.bases[n], 1e-9));
  return delta > 0
    ? `hsl(6 ${40 + 42 * strength}% ${90 - 30 * strength}%)`
    : `hsl(212 ${40 + 38 * strength}% ${90 - 28 * strength}%)`;
}

/// A hue for each library, a shade for each function.
function colourOfName(object, name) {
  const hashed = (text, factor) =>
    [...text].reduce((hash, letter) => (hash * factor + letter.charCodeAt(0)) >>> 0, 0);
  const hue = [38, 26, 152, 205, 265, 340, 88, 180][hashed(object, 31) % 8];
  const shade = hashed(name, 33);
  return `hsl(${hue} ${46 + (shade % 14)}% ${76 + (shade % 9)}%)`;
}

function flameWords({flame, names, objects}, n) {
  const part = share(flame.totals[n], flame.totals[0]);
  const base = flame.bases && `base ${count(flame.bases[n])}`;
  return [
    names[n] || 'all',
    objects[n],
    `${count(flame.totals[n])} instructions per iteration, ${part}`,
    base && `${base}, ${signed(flame.totals[n] - flame.bases[n])}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
