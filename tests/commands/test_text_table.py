"""Tables in the terminal: rows are wrapped, never cut."""

from workbench.commands.text_table import table_lines, wrapped


def test_rows_are_wrapped_and_never_cut():
    rows = [("#", "recipe", "a", ""), ("1", "one two three four five six seven", "0.5", "best, dominated by 2")]
    assert table_lines(rows, 40) == [
        ["#  recipe                  a"],
        ["1  one two three four    0.5  best,", f"   five six seven{' ' * 13}dominated", f"{' ' * 30}by 2"],
    ]
    assert table_lines([("#", "recipe", "a", ""), ("1", "x" * 99, "0.5", "")], None)[1] == [f"1  {'x' * 99}  0.5"]


def test_sentences_are_wrapped():
    assert wrapped("one two three four five", 18) == ["one two three four", "five"] and wrapped("one two", None) == [
        "one two"
    ]
