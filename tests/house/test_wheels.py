# SPDX-License-Identifier: GPL-3.0-or-later
"""What is checked of a wheel for every Linux: the versions of the symbols that it needs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "rust/xtask/src/wheels/shipped.py"


@pytest.fixture(scope="module")
def shipped() -> ModuleType:
    """The script that checks wheels."""
    spec = importlib.util.spec_from_file_location("shipped", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("versions", "refused"),
    [
        ({"GLIBC_2.2.5", "GLIBC_2.9", "GLIBC_2.28", "GCC_3.0", "GCC_4.2.0"}, []),
        # Numbers, not texts: 2.9 is older than 2.28, and 2.100 newer.
        ({"GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.100", "GLIBC_2.29"}, ["GLIBC_2.29", "GLIBC_2.34", "GLIBC_2.100"]),
        ({"GLIBC_2.28.1", "GLIBC_3"}, ["GLIBC_2.28.1", "GLIBC_3"]),
        ({"GCC_8.0.0", "GCC_12.0.0"}, ["GCC_12.0.0"]),
        # Only glibc from 2.36 on loads what needs the first, and only its own libraries may use the second.
        ({"GLIBC_ABI_DT_RELR", "GLIBC_PRIVATE"}, ["GLIBC_ABI_DT_RELR", "GLIBC_PRIVATE"]),
        # Of other libraries nothing is promised.
        ({"GLIBCXX_3.4", "OPENSSL_3.0.0"}, ["OPENSSL_3.0.0", "GLIBCXX_3.4"]),
    ],
)
def test_only_symbols_of_the_oldest_promised_linux_pass(
    shipped: ModuleType, versions: set[str], refused: list[str]
) -> None:
    assert shipped.newer(versions) == refused


def test_the_newest_symbol_is_the_one_with_the_highest_number(shipped: ModuleType) -> None:
    assert shipped.by_age({"GLIBC_2.9", "GLIBC_2.28", "GLIBC_2.2.5"})[-1] == "GLIBC_2.28"
