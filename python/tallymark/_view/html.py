"""Results as HTML for notebooks: the same as `text`, with the samples drawn. Colours follow the page's own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from tallymark._view import text as _text
from tallymark._view.flame import flame

if TYPE_CHECKING:
    from tallymark._case import MeasuredCase
    from tallymark._figures import Wall
    from tallymark._functions import Moved

_BLUE = "#3b82c4"
_RED = "#c2543f"
_GREEN = "#3d8f5b"
_CELL = "padding:2px 12px 2px 0;border:0;vertical-align:top;background:none"
_FAINT = "opacity:.65"
_CODE = "font-family:ui-monospace,Menlo,Consolas,monospace"
_LARGEST_DRAWN = 2000  # samples
_SHOWN = 12  # functions


def result(one: MeasuredCase) -> str:
    rows = [(escape(what), _strong(value), _faint(how)) for what, value, how in _text.facts(one)]
    parts = [_heading(one.title), _code(one), _table(rows, "lrl")]
    wall = one.wall
    if wall and len(wall.samples_s) > 1:
        parts.append(_samples(wall))
    total = one.instructions
    if one.functions and total:
        bars = [
            (
                _text.instructions(f.exclusive),
                f"{f.exclusive / total * 100:.1f} %",
                _bar(f.exclusive / total, _BLUE),
                _function(f.name, f.object),
            )
            for f in one.functions[:_SHOWN]
        ]
        parts.append(_details(f"{len(one.functions)} functions", _table(bars, "rrll"), opened=True))
    if one.tree is not None and one.tree.roots:
        title = "flame graph" + (
            ", approximate: made from call edges" if one.tree.approximate else ""
        )
        parts.append(_details(title, flame(one.tree)))
    if captured := _text.captured_lines(one):
        parts.append(_captured(captured))
    return _page(parts)


def _captured(lines: Iterable[str]) -> str:
    text = "\n".join(escape(line) for line in lines)
    return _details("captured", f'<pre style="margin:4px 0;background:none;{_CODE}">{text}</pre>')


def results(several: Sequence[MeasuredCase]) -> str:
    most = max((one.instructions or 0 for one in several), default=0)
    most = most if most > 0 else 1
    rows = []
    for one in several:
        count = one.instructions
        bar = _bar(max(count, 0) / most, _BLUE) if count is not None else ""
        wall = one.wall
        interval = " to ".join(_text.seconds(value) for value in wall.interval_s) if wall else ""
        state = escape(", ".join([one.status, *one.flags]))
        rows.append(
            (
                _mono(one.title),
                _strong(_text.figure(count)),
                bar,
                _strong(_text.seconds(one.seconds)),
                _faint(interval),
                state if one.ok else f'<b style="color:{_RED}">{state}</b>',
            )
        )
    head = ("case", "instructions", "", "time", "95 % interval", "status")
    parts = [_table(rows, "lrlrll", head)]
    parts += [result(bad) for bad in several if not bad.ok]
    return _page(parts)


def comparison(
    verdict: str,
    summary: str,
    a: MeasuredCase,
    b: MeasuredCase,
    functions: Sequence[Moved],
    notes: Iterable[str],
) -> str:
    colour = {"slower": _RED, "faster": _GREEN}.get(verdict, "inherit")
    title = f'<b style="color:{colour}">{escape(verdict)}</b>: {escape(summary)}'
    rows = [
        (
            name,
            _mono(side.title),
            _strong(_text.figure(side.instructions)),
            _strong(_text.seconds(side.seconds)),
        )
        for name, side in (("a", a), ("b", b))
    ]
    parts = [f"<div>{title}</div>", _table(rows, "llrr", ("", "", "instructions", "time"))]
    most = max((abs(f.change) for f in functions), default=0) or 1
    moved = [
        (
            _text.instructions(f.before),
            _text.instructions(f.after),
            ("+" if f.change > 0 else "") + _text.instructions(f.change),
            _bar(abs(f.change) / most, _RED if f.change > 0 else _GREEN),
            _function(f.name, f.object),
        )
        for f in functions[:_SHOWN]
    ]
    if moved:
        table = _table(moved, "rrrll", ("a", "b", "change", "", "function"))
        parts.append(_details(f"{len(functions)} functions moved", table, opened=True))
    if captured := _text.captured_by_both(a, b):
        parts.append(_captured(captured))
    parts += [_faint(note) for note in notes]
    return _page(parts)


def checks(rows: Iterable[tuple[str, str, str]]) -> str:
    """State, subject and finding of each."""
    cells = [
        (
            f'<b style="color:{_GREEN if state == "ok" else _RED}">{escape(state)}</b>',
            escape(what),
            _faint(detail),
        )
        for state, what, detail in rows
    ]
    return _page([_table(cells, "lll")])


def _samples(wall: Wall) -> str:
    """A row for each child process, a dot for each sample; the median and its interval behind them."""
    width, row = 520.0, 9.0
    samples = wall.samples_s[:_LARGEST_DRAWN]
    low, high = _range(sorted(samples))
    scale = width / ((high - low) or 1.0)
    children = wall.samples_per_child or (len(samples),)
    height = row * len(children) + 4

    def x(value: float) -> float:
        return min(max((value - low) * scale, 0.0), width)

    shapes = []
    left, right = (x(value) for value in wall.interval_s)
    shapes.append(
        f'<rect x="{left:.1f}" y="0" width="{max(right - left, 1):.1f}" height="{height}" '
        f'fill="{_BLUE}" opacity=".18"/>'
    )
    shapes.append(
        f'<line x1="{x(wall.median_s):.1f}" x2="{x(wall.median_s):.1f}" y1="0" y2="{height}" stroke="{_BLUE}"/>'
    )
    start = 0
    for child, count in enumerate(children):
        y = child * row + row / 2 + 2
        shapes += [
            f'<circle cx="{x(value):.1f}" cy="{y:.1f}" r="1.8" fill="currentColor" opacity=".45"/>'
            for value in samples[start : start + count]
        ]
        start += count
    title = f"{len(samples)} samples in {len(children)} processes, the median and its 95 % interval"
    scale_style = f"display:flex;justify-content:space-between;width:{width:.0f}px;max-width:100%"
    return (
        f'<div style="margin:6px 0"><svg width="{width:.0f}" height="{height:.0f}" role="img" '
        f'style="max-width:100%;overflow:visible"><title>{escape(title)}</title>{"".join(shapes)}</svg>'
        f'<div style="{scale_style};font-size:11px;{_FAINT}">'
        f"<span>{_text.seconds(low)}</span><span>{_text.seconds(high)}</span></div></div>"
    )


def _range(ordered: Sequence[float]) -> tuple[float, float]:
    """Where nearly all samples are: a single late one would press the others into a corner. What lies beyond is drawn
    at the edge."""
    middle = ordered[len(ordered) // 2]
    spread = ordered[int(len(ordered) * 0.75)] - ordered[int(len(ordered) * 0.25)]
    reach = max(6 * spread, 0.01 * middle)
    return max(ordered[0], middle - reach), min(ordered[-1], middle + reach)


def _code(one: MeasuredCase) -> str:
    stmt = str((one.case.get("definition") or {}).get("stmt") or "").strip()
    if not stmt or stmt in one.title:
        return ""
    return f'<pre style="margin:4px 0;background:none;{_CODE}">{escape(stmt)}</pre>'


def _table(rows: Iterable[Sequence[str]], alignment: str, head: Sequence[str] = ()) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{_CELL};text-align:{"right" if side == "r" else "left"}">{cell}</{tag}>'
            for cell, side in zip(row, alignment)
        )

    first = f"<thead><tr>{cells(head, 'th')}</tr></thead>" if head else ""
    body = "".join(f'<tr style="background:none">{cells(row, "td")}</tr>' for row in rows)
    style = "border-collapse:collapse;border:0;margin:4px 0;width:auto;font-size:inherit"
    return f'<table style="{style}">{first}<tbody>{body}</tbody></table>'


def _bar(share: float, colour: str) -> str:
    width = min(max(share, 0.0), 1.0) * 120
    style = (
        f"display:inline-block;height:9px;width:{width:.1f}px;background:{colour};border-radius:2px"
    )
    return f'<span style="{style}"></span>'


def _heading(text: str) -> str:
    return f'<div style="{_CODE};font-weight:600">{escape(text)}</div>'


def _function(name: str, library: str) -> str:
    return f'<span style="{_CODE}">{escape(name)}</span> {_faint(library)}'


def _mono(text: str) -> str:
    return f'<span style="{_CODE}">{escape(text)}</span>'


def _strong(text: str) -> str:
    return f'<b style="font-variant-numeric:tabular-nums">{escape(text)}</b>' if text else ""


def _faint(text: str) -> str:
    return f'<span style="{_FAINT}">{escape(text)}</span>' if text else ""


def _details(title: str, body: str, *, opened: bool = False) -> str:
    return (
        f"<details{' open' if opened else ''}>"
        f'<summary style="cursor:pointer;{_FAINT}">{escape(title)}</summary>{body}</details>'
    )


def _page(parts: Iterable[str]) -> str:
    return f'<div style="font-size:13px;line-height:1.4">{"".join(parts)}</div>'
