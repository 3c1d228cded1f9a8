"""What the scripts beside it share: their options, runs of `gatefold generate` and `gatefold bench`, and tables (those of
peers_table.py too)."""
import argparse
import json
import pathlib
import subprocess

BUILT = pathlib.Path(__file__).resolve().parents[1] / "build" / "gatefold"


class Failed(Exception):
    """gatefold could not do what it was asked; the text is its last line."""


def parted(arguments):
    """What is meant for the script itself, and what stands after -- and is passed on."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]


def positive(kind):
    """What argparse turns a text into a number above 0 with."""

    def parse(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text}, wanted a number above 0")
        return value

    return parse


def ascending(text):
    try:
        numbers = [positive(int)(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or numbers != sorted(set(numbers)):
        raise argparse.ArgumentTypeError(f"'{text}', wanted ascending numbers such as 1,4,16")
    return numbers


def parser_of(description, rows, rounds, seconds):
    parser = argparse.ArgumentParser(description=description)

    def add(name, default, text, kind=str):
        parser.add_argument(name, type=kind, default=default, help=f"{text} (default: %(default)s)")

    add("--dtype", "f32", "of the weights, x and y")
    add("--threads", "1", "thread counts", ascending)
    add("--rows", rows, "row counts", ascending)
    add("--rounds", rounds, "runs of each", positive(int))
    add("--seconds", seconds, "of one row count in one run", positive(float))
    add("--schedule", "default", "as of `gatefold generate`")
    add("--gatefold", BUILT, "the program")
    parser.add_argument("--json", help="file for the table as JSON")
    parser.add_argument("--markdown", help="file for the table as Markdown")
    return parser


def run(options, *arguments):
    """The JSON object that it prints. A cell that is not right makes it fail, but is told of in the object."""
    command = [str(word) for word in (options.gatefold, *arguments, "--json")]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise Failed(f"{options.gatefold}: {error.strerror}") from error
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}, and no JSON"]
        raise Failed(f"{arguments[0]}: {said[-1]}") from error


def row_list(rows):
    return ",".join(map(str, rows))


def generate(options, variant, d_model, d_ff, folder):
    """The manifest of a library of this block with the wanted row counts."""
    made = run(options, "generate", "--variant", variant, "--d-model", d_model, "--d-ff", d_ff, "--dtype", options.dtype,
               "--rows", row_list(options.rows), "--schedule", options.schedule, "--name", f"{variant}_{d_model}_{d_ff}",
               "-o", folder)
    return made["library"]


def bench(options, library, rows, threads):
    return run(options, "bench", "--library", library, "--rows", row_list(rows), "--threads", threads, "--seconds",
               options.seconds, "--vs", "none")


def as_text(table):
    """Columns as wide as their widest field; the first line is the heading."""
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(field.ljust(width) for field, width in zip(line, widths)).rstrip() for line in table)


def as_markdown(table):
    lines = ["| " + " | ".join(line) + " |" for line in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:]])


def publish(options, table, remarks, found):
    """Text on stdout, the files on request."""
    print(as_text(table), *remarks, sep="\n")
    markdown = as_markdown(table) + "\n\n" + "\n".join(f"- {line}" for line in remarks)
    for path, text in ((options.json, json.dumps(found, indent=1)), (options.markdown, markdown)):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
