"""What holds for a document as a whole: running lines, levels of headings, seams between pages, and the join of its pages."""
