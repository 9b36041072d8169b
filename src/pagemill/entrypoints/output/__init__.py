"""What the command line prints and logs."""
