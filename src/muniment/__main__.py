"""``python -m muniment``: the command line where its script is not on the path."""

from muniment.surfaces.cli.start import run

if __name__ == "__main__":
    run()
