"""How a page is read and how what was read is written; knows no database and no network."""
