'use strict';
// How figures and verdicts are written.

const counting = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const fine = new Intl.NumberFormat('en-US', {maximumFractionDigits: 2});

function count(value) {
  if (value === undefined || value === null) return '';
  return (Math.abs(value) < 1000 ? fine : counting).format(value === 0 ? 0 : value);
}

/// A case's count: below zero by more than half an instruction it is no figure.
function figure(value) {
  return value < -0.5 ? 'below 0' : count(value);
}

/// What a benchmark reports in place of a count: "12.5 unit", bytes as "9.8 MiB".
function valueText(value, unit) {
  if (value === undefined || value === null) return '';
  if (unit === 'bytes' && value >= 1024) {
    const names = ['KiB', 'MiB', 'GiB'];
    const power = Math.min(names.length, Math.floor(Math.log2(value) / 10));
    return (value / 1024 ** power).toFixed(power - 1) + '\u202f' + names[power - 1];
  }
  const isLarge = Math.abs(value) >= 1000 && Math.abs(value) < 1e15;
  const text = isLarge ? count(value) : String(Number(value.toPrecision(4)));
  const name = unit === 'kernels' && text === '1' ? 'kernel' : unit;
  return name ? text + '\u202f' + name : text;
}

function signed(value) {
  return (value > 0 ? '+' : '') + count(value);
}

/// Seconds with the figures that ± half supports, three without.
function seconds(value, half) {
  if (value === undefined || value === null) return '';
  const units = [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
    [1e-9, 'ns'],
  ];
  const figures =
    half > 0 ? Math.max(1, Math.min(5, Math.floor(Math.log10(Math.abs(value) / half)) + 1)) : 3;
  const [scale, name] = units.find(([size]) => Math.abs(value) >= size * 0.9995) || units[3];
  const shown = Number((value / scale).toPrecision(figures));
  const decimals = Math.max(0, figures - 1 - Math.floor(Math.log10(Math.abs(shown) || 1)));
  return shown.toFixed(decimals) + '\u202f' + name;
}

/// A change; infinite: from nothing.
function percent(part) {
  if (part === undefined || part === null) return '';
  if (part === Infinity) return 'from nothing';
  const value = part * 100;
  if (value === 0) return '0\u202f%';
  // Rounded as the command rounds. Without a number of figures, what is written ends after three decimals.
  const figures = Math.abs(value) >= 100 ? 3 : 2;
  const rounded = Number(value.toPrecision(figures));
  const text = rounded.toLocaleString('en-US', {maximumSignificantDigits: figures});
  return (value > 0 ? '+' : '') + text + '\u202f%';
}

function share(part, whole) {
  if (!(whole > 0)) return '';
  const value = (100 * part) / whole;
  return (
    (value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2)) + '\u202f%'
  );
}

const wordOf = (one) => (one.status !== 'ok' ? one.status : one.base ? one.base.verdict : 'ok');

function kindOf(word) {
  if (['failed', 'crashed', 'timeout', 'gone', 'slower'].includes(word)) return 'bad';
  if (['faster', 'ok'].includes(word)) return 'good';
  if (['changed environment', 'not compared'].includes(word)) return 'notice';
  return '';
}

/// A change in the colour of its verdict.
function changeText(verdict, text, otherwise) {
  const colours = {slower: 'bad-text', faster: 'good-text'};
  return el('span', {class: colours[verdict] || otherwise}, text);
}

function tag(word) {
  return el('span', {class: 'tag ' + kindOf(word)}, word);
}
