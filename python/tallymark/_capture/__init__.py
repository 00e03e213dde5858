"""Captures what leaves this process to be measured elsewhere: functions and values, what they use, and how that is
checked."""
