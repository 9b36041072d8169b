"""Training of the layout models: data sets, made pages, alignment, the trainer and cross-validation."""
