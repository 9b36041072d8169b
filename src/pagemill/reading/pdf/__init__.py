"""The file that a PDF is: opening it, its raw bytes, its page tree, what it says of itself, and pages drawn as images."""
