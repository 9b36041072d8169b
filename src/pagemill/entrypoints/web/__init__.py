"""The web pages: a small application that speaks to the API in front of the same mill."""
