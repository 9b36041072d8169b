"""What the answers of the service say in words of its API, in words of the command line."""

HINTS = {
    "password_required": "The document is encrypted. Give its password with --password.",
    "password_incorrect": "The password does not open the document. Give the right one with --password.",
    "page_out_of_range": "None of the asked pages exist in the document. Ask for others with --pages.",
}
