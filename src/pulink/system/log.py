"""The package's logger: silent until whoever uses pulink says where its lines should go.

>>> import logging
>>> logging.basicConfig(level=logging.INFO)  # doctest: +SKIP
"""

from __future__ import annotations

import logging

LOG = logging.getLogger("pulink")
LOG.addHandler(logging.NullHandler())
