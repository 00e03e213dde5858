'use strict';
// A case's profile: unpacked when it is looked at.

/// {functions: [{name, object, own, all, calls, before: {own, all, calls}}], tree, approximate}: a
/// tree is {function, parent, total, before}, columns by node; `before` only against a base.
function readProfile(raw) {
  const columns = raw.functions;
  const functions = columns.name.map((name, n) => ({
    name: raw.strings[name],
    object: raw.strings[columns.object[n]],
    own: columns.own[n],
    all: columns.all[n],
    calls: columns.calls[n],
    before: columns.own_before && {
      own: columns.own_before[n],
      all: columns.all_before[n],
      calls: columns.calls_before[n],
    },
  }));
  return {functions, tree: raw.tree, approximate: raw.approximate};
}

const profileOf = async (packed) => readProfile(await unpack(packed));

/// "8 calls", "1 → 8 calls"; nothing where they are not known.
function callsOf(f) {
  const before = f.before ? f.before.calls : f.calls;
  if (!f.calls && !before) return '';
  const word = f.calls === 1 && before === 1 ? ' call' : ' calls';
  return (before === f.calls ? count(f.calls) : count(before) + ' → ' + count(f.calls)) + word;
}
