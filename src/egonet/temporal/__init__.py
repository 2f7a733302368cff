"""Features as of a time: events with a timestamp, and rows that count only what was known then."""
