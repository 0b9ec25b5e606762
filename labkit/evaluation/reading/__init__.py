"""Labels and scores read from CSV and Parquet files."""
