"""Files are shown whole, shortened or described, and always counted and hashed whole."""

import hashlib

from thoughtforge.workspaces.text import HEAD, TAIL, WHOLE, Collected, FileText, Gap, as_text


def collected(data: bytes, chunk: int = 1000) -> Collected:
    file = Collected(len(data))
    for at in range(0, len(data), chunk):
        file.add(data[at : at + chunk])
    return file


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_plain_text_is_shown_as_it_is():
    data = "äb\r\nc\n".encode()
    file = as_text(collected(data, 2))
    assert file == FileText("äb\r\nc\n", digest(data), 7, 2)
    assert file.numbered() == [(1, "äb"), (2, "c")]


def test_an_empty_file_has_no_lines():
    assert as_text(collected(b"")) == FileText("", digest(b""), 0, 0)
    assert as_text(collected(b"")).numbered() == []


def test_a_last_line_without_line_break_counts():
    assert (as_text(collected(b"a\nb")).lines, as_text(collected(b"a\nb\n")).lines) == (2, 2)


def test_a_nul_byte_makes_a_file_binary():
    data = b"GIF\0" * 300
    assert as_text(collected(data)) == FileText("", digest(data), 1200, 0, "a binary file of 1,200 bytes, not shown")


def test_a_nul_byte_far_behind_does_not_make_a_file_binary():
    assert as_text(collected(b"a" * 9000 + b"\0")).note == ""


def test_bytes_that_are_no_utf8_are_replaced_and_said_so():
    data = "naïve\n".encode("latin-1")
    assert as_text(collected(data)) == FileText(
        "na\ufffdve\n", digest(data), 6, 1, "not UTF-8: undecodable bytes are shown as \ufffd"
    )


def test_a_large_file_is_shown_by_beginning_and_end_with_true_line_numbers():
    data = b"".join(b"line %07d\n" % number for number in range(1, 200_001))
    file = as_text(collected(data, 65536))
    rows = file.numbered()
    kept = HEAD // 13
    assert (file.digest, file.bytes, file.lines) == (digest(data), len(data), 200_000)
    assert file.note == "a large file of 2,600,000 bytes: only its beginning and end are shown"
    assert file.gap == Gap(kept, 200_001 - (TAIL - 1) // 13)
    assert rows[0] == (1, "line 0000001")
    assert rows[kept - 1 : kept + 2] == [
        (kept, f"line {kept:07d}"),
        (None, f"[… {2_600_000 - 13 * (kept + TAIL // 13):,} bytes omitted …]"),
        (file.gap.resume, f"line {file.gap.resume:07d}"),
    ]
    assert rows[-1] == (200_000, "line 0200000")


def test_a_large_file_of_one_line_is_shortened_within_the_line():
    data = b"x" * (WHOLE + 1)
    file = as_text(collected(data, 65536))
    mark = f"[… {WHOLE + 1 - HEAD - TAIL:,} bytes omitted …]"
    assert file.numbered() == [(1, "x" * HEAD), (None, mark), (1, "x" * TAIL)]


def test_a_file_of_exactly_the_limit_is_shown_whole():
    assert as_text(collected(b"x" * WHOLE, 65536)).gap is None


def test_a_pointer_to_large_file_storage_is_named_as_such():
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    assert as_text(collected(pointer)).note == "a Git LFS pointer; the content itself is not in the repository"
