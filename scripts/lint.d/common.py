"""The words, the files and the parts of Swift that the checks of this folder share."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Words, and what to write instead.
WORDS = [
    (r"nobody|somebody|anybody|everybody|whoever|someone", "name the program or person: client, host, reader, user"),
    (r"(?:is|are|was|were|be) told", "say who prints or receives what"),
    (r"shall", "must, or the present tense"),
    (r"(?:is|are) to be", "must, or the imperative"),
    (r"(?:lets?|letting) go of", "releases"),
    (r"un-numbered", "unnumbered"),
    (r"unheard|no one heard", "had no reader"),
    (r"makes? no sense", "is not valid, and why"),
    (r"there is such a (?:file|folder)", "the file exists"),
    (r"(?<!there )is no (?:file|folder|regular file|script|trace|device file|number|byte)", "is not a …"),
    (r"farewell|turnstile", "the term of the field"),
    (r"goes? by the (?:real )?time", "uses the real clock"),
    (r"stands? (?:alone|beside|where)", "cannot be combined with, is not allowed here"),
    (r"(?:has|have) to do with", "what exactly"),
]
# A comment of Swift or C, or a string, raw or not, of one line or several. An end that is missing
# is the end of the line; that of a /* comment is the end of the text.
PART = re.compile(r'(?P<comment>//[^\n]*)|/\*.*?(?:\*/|\Z)|(?P<hashes>#*)(?:"""(?P<lines>(?:\\.|(?!"""(?P=hashes)).)*)"""(?P=hashes)'
                  r'|"(?P<string>(?:\\.|(?!"(?P=hashes))[^\n])*)"?(?P=hashes))', re.S)


def word_pattern(words):
    """A pattern for pairs of words and advice; the advice of a match is that of its group's number."""
    return re.compile(r"\b(?:" + "|".join(f"(?P<w{number}>{word})" for number, (word, _) in enumerate(words)) + r")\b", re.I)


def advice(match, words):
    """The part of a message that says what was found, and what to write."""
    return f'"{match[0]}"; write: {words[int(match.lastgroup[1:])][1]}'


def tracked_files():
    """The tracked files, and the new ones, below the root."""
    return subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()


def swift_parts(text):
    """The comments and strings of Swift or C, as matches of PART, with the lines they begin in."""
    number = place = 0
    for match in PART.finditer(text):
        number += text.count("\n", place, match.start())
        place = match.start()
        yield number + 1, match
