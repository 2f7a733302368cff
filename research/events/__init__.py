"""Evidence on events with direction, amount and time: fraud, ratings, messages."""
