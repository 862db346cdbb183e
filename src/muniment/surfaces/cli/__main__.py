"""``python -m muniment.surfaces.cli``: the same program where the script is not on the path."""

from muniment.surfaces.cli.start import run

if __name__ == "__main__":
    run()
