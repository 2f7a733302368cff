"""The report: statistics, tables, plots and the page that shows them."""
