"""Spreadsheets: XLSX, XLS and ODS."""
