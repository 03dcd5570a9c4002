"""Makes senders' text safe for messages. It may be hostile, and error messages are printed on terminals."""

import unicodedata

# Control characters, and characters that reorder or hide text.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def safe_line(text: str) -> str:
    r"""One line of text in which unsafe characters are written as \uXXXX."""
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in _UNSAFE else character
        for character in text
    )
