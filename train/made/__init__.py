"""Pages that the project makes itself, with exact truth and as much variety as possible."""
