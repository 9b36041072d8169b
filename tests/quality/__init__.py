"""The measures say what they should of readings whose worth is known."""
