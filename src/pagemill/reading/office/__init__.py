"""Readers of office files, web pages, e-mail and text: the file's own structure becomes pages of blocks."""
