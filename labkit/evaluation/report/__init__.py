"""An evaluation in words, tables and figures: for the terminal, and as an HTML page."""
