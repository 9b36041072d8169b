"""Remote: providers that send the picture of a page to another machine. They run in the worker, never in the press."""
