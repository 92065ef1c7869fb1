"""`python -m thoughtforge` is the same command as `thoughtforge`."""

from thoughtforge.cli.main import main

if __name__ == "__main__":
    main()
