"""A trace on the rows of a scenario: a row as the numbers that a replay takes, and what came of it."""
