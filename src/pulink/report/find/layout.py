"""Where the nodes of a drawing go: springs along edges, repulsion between all nodes.

A position is a complex number z. Nodes repel each other, edges are springs, and a bowl keeps it all together:

    F_i = Σ_j m_j / conj(z_i − z_j)  −  c Σ_{j ~ i} (z_i − z_j)  −  g z_i

The first sum is a convolution: masses are shared out to the corners of a square mesh, multiplied by the kernel's
Fourier transform, and the field is read at the nodes again, so a step costs the same for 20 nodes and for 4,000.
Nothing is random: nodes start on a sunflower and are drawn towards their neighbours' mean.

Shapes: ends (m, 2) of node numbers; positions (n, 2) in [0, 1], the drawing `aspect` times as wide as high.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

F64 = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Ints = npt.NDArray[np.int64]

_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
_N_SMOOTHINGS = 30
_N_STEPS = 200
_SPRING = 0.6
_BOWL = 0.35
_FEW = 400
_MOST_STRETCHED = 1.4
_LARGEST_UNIT = 0.2


def layout(n_nodes: int, ends: Ints, aspect: float) -> F64:
    """Positions (n, 2) between 0 and 1: shares of the drawing's width and height."""
    if n_nodes < 2:
        return np.full((n_nodes, 2), 0.5)
    return _fill(_apart(_settle(_start(n_nodes, ends), ends, aspect)), aspect)


def _fill(z: Complexes, aspect: float) -> F64:
    """Stretched to fill the drawing, but neither out of shape nor so that a few nodes stand miles apart."""
    places = np.column_stack([z.real / aspect, z.imag])
    low, high = places.min(axis=0), places.max(axis=0)
    stretch = 1 / np.maximum(high - low, 1e-9)
    stretch = np.minimum(stretch, min(_MOST_STRETCHED * float(stretch.min()), _LARGEST_UNIT))
    return np.asarray(0.5 + (places - (low + high) / 2) * stretch)


def _start(n_nodes: int, ends: Ints) -> Complexes:
    """A sunflower whose seeds have moved towards the mean of their neighbours, spread out evenly again."""
    seeds = np.arange(n_nodes)
    sunflower = np.sqrt(seeds + 0.5) * np.exp(1j * _GOLDEN_ANGLE * seeds)
    z = sunflower.copy()
    degrees = np.maximum(np.bincount(ends.ravel(), minlength=n_nodes), 1)
    for _ in range(_N_SMOOTHINGS):
        z = (z + _sum_over_edges(ends, z[ends[:, ::-1]], n_nodes) / degrees) / 2
        z -= z.mean()
    ranks = np.argsort(np.argsort(np.abs(z), kind="stable"), kind="stable")
    evenly = np.sqrt(ranks + 0.5) * np.exp(1j * np.angle(z))
    return np.asarray(2 * evenly + 0.2 * sunflower)


def _settle(z: Complexes, ends: Ints, aspect: float) -> Complexes:
    """Move along the forces, a little less far at every step."""
    n_nodes = len(z)
    size = 64 if n_nodes < _FEW else 128
    kernel = _kernel(size)
    degrees = np.bincount(ends.ravel(), minlength=n_nodes)
    mass = 1.0 + 0.5 * np.log1p(degrees)
    stiff = _SPRING / np.sqrt(np.maximum(np.minimum(degrees[ends[:, 0]], degrees[ends[:, 1]]), 1))
    start = 0.15 * np.sqrt(n_nodes)
    for step in range(_N_STEPS):
        pull = stiff[:, None] * (z[ends] - z[ends[:, ::-1]])
        force = mass * _repulsion(z, mass, kernel) - _sum_over_edges(ends, pull, n_nodes)
        force -= _BOWL * mass * (z.real / aspect + 1j * z.imag * aspect)
        furthest = start * (1 - step / _N_STEPS) ** 1.5 + 0.01
        z = z + force * np.minimum(0.3, furthest / np.maximum(np.abs(force), 1e-9))
    return z


def _sum_over_edges(ends: Ints, values: Complexes, n_nodes: int) -> Complexes:
    """By node, the sum of the values (m, 2) at its ends of edges."""
    flat, summands = ends.ravel(), values.ravel()
    return np.bincount(flat, summands.real, n_nodes) + 1j * np.bincount(flat, summands.imag, n_nodes)


def _kernel(size: int) -> Complexes:
    """The transform of 1 / conj(z) on a mesh of twice the size, so that opposite borders do not meet."""
    offsets = np.fft.fftfreq(2 * size, 1 / (2 * size))
    z = offsets[:, None] + 1j * offsets[None, :]
    z[0, 0] = np.inf
    return np.asarray(np.fft.fft2(1 / np.conj(z)))


def _repulsion(z: Complexes, mass: F64, kernel: Complexes) -> Complexes:
    """Σ_j m_j / conj(z_i − z_j), from masses on a mesh; only what is nearer than a mesh cell is blurred."""
    size = len(kernel) // 2
    x, y = z.real - z.real.min(), z.imag - z.imag.min()
    cell = max(float(x.max()), float(y.max()), 1e-9) / (size - 1.001)
    x, y = x / cell, y / cell
    column, row = x.astype(np.int64), y.astype(np.int64)
    right, up = x - column, y - row
    corners = (column * size + row)[:, None] + np.array([0, 1, size, size + 1])
    shares = np.column_stack([(1 - right) * (1 - up), (1 - right) * up, right * (1 - up), right * up])
    density = np.bincount(corners.ravel(), (shares * mass[:, None]).ravel(), size * size).reshape(size, size)
    field = np.fft.ifft2(np.fft.fft2(density, s=kernel.shape) * kernel)[:size, :size].ravel()
    return np.asarray((field[corners] * shares).sum(axis=1) / cell)


def _apart(z: Complexes) -> Complexes:
    """Push apart what still lies on top of each other."""
    area = np.ptp(z.real) * np.ptp(z.imag)
    least = 0.45 * np.sqrt(max(area, 1e-9) / len(z))
    for _ in range(30):
        pairs = cKDTree(np.column_stack([z.real, z.imag])).query_pairs(least, output_type="ndarray")
        if not len(pairs):
            break
        between = z[pairs[:, 0]] - z[pairs[:, 1]]
        distance = np.abs(between)
        direction = np.where(distance > 1e-9, between / np.maximum(distance, 1e-9), np.exp(1j * pairs[:, 0]))
        push = (least - distance)[:, None] * direction[:, None] * np.array([0.25, -0.25])
        z = z + _sum_over_edges(pairs, push, len(z))
    return z
