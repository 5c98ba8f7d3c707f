"""`python -m zoo`."""

from zoo.cli import main

if __name__ == "__main__":
    main()
