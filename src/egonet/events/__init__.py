"""Rows per event: tables of events are read, a history is kept, and every event gets its row as of that event."""
