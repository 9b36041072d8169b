"""Facts: electronic invoices, pairs of labels and values, check boxes, barcodes and signatures of a document."""
