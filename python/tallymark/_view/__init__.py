"""Results for people: as text, as HTML, as flame graphs. Computes nothing."""
