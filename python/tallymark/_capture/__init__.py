"""What leaves this process to be measured elsewhere: functions and values, what they use, and what is checked."""
