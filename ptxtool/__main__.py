"""`python -m ptxtool`."""

from ptxtool.cli.main import main

main()
