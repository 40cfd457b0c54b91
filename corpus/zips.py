"""What is the same for every zip archive that somebody hands in."""

from __future__ import annotations

import zipfile
import zlib
from typing import Final

UNREADABLE: Final = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What `zipfile` raises for an archive that is cut off, changed, encrypted, packed in an unknown way, or none."""
