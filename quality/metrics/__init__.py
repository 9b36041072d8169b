"""Measures of how near a reading comes to the truth; each takes the truth first."""
