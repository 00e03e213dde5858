"""The flame graph that is drawn of a profile's call tree."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tallymark._functions import CallTree, Frame
from tallymark._view import text as _text

_WIDTH, _ROW = 760.0, 17.0
_NARROWEST = 1.0  # pixels
_DEEPEST = 40  # rows
_LETTER = 6.1  # pixels
_WARM = ("#f2c879", "#eeb566", "#e9a15c", "#f0d08c", "#e5ac72", "#edbf85")


def flame(tree: CallTree) -> str:
    """SVG, callers above what they call, from where the work begins to branch."""
    roots = _where_it_branches(tree.roots)
    total = sum(one.inclusive for one in roots) or 1.0
    shapes = []
    deepest = 0
    left = 0.0
    for root in roots:
        for frame, depth, at in _placed(root, 0, left, _WIDTH / total):
            deepest = max(deepest, depth)
            shapes.append(_shape(frame, depth, at, frame.inclusive / total))
        left += root.inclusive * _WIDTH / total
    height = (deepest + 1) * _ROW
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} {height:.0f}" width="{_WIDTH:.0f}" role="img" style="max-width:100%" '
        f'font-size="10" font-family="ui-monospace,Menlo,Consolas,monospace">{"".join(shapes)}</svg>'
    )


def _where_it_branches(roots: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Below the host's own frames, which every statement has above it."""
    while len(roots) == 1 and roots[0].children:
        only = roots[0]
        if only.children[0].inclusive < 0.97 * only.inclusive:
            break
        roots = only.children
    return roots


def _placed(
    frame: Frame, depth: int, left: float, scale: float
) -> Iterator[tuple[Frame, int, float]]:
    if frame.inclusive * scale < _NARROWEST or depth >= _DEEPEST:
        return
    yield frame, depth, left
    for child in frame.children:
        yield from _placed(child, depth + 1, left, scale)
        left += child.inclusive * scale


def _shape(frame: Frame, depth: int, left: float, share: float) -> str:
    width = share * _WIDTH
    colour = _WARM[sum(frame.name.encode()) % len(_WARM)]
    title = f"{frame.name}: {_text.instructions(frame.inclusive)} ({share * 100:.1f} %)"
    letters = int((width - 4) / _LETTER)
    label = ""
    if letters >= 3:
        text = frame.name if len(frame.name) <= letters else frame.name[: letters - 1] + "…"
        label = f'<text x="{left + 3:.1f}" y="{depth * _ROW + 12:.1f}" fill="#222">{escape(text)}</text>'
    return (
        f"<g><title>{escape(title)}</title>"
        f'<rect x="{left:.1f}" y="{depth * _ROW:.1f}" width="{max(width - 0.5, 0.5):.1f}" height="{_ROW - 1:.1f}" '
        f'fill="{colour}" rx="1"/>{label}</g>'
    )
