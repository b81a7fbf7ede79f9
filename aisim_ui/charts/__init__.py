"""Charts: a table in, a figure out, with no Streamlit in it."""
