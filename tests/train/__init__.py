"""Tests of the trainer of the layout models."""
