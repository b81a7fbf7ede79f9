"""What the model's numbers mean, in sentences: the same on a page and on the command line. No Streamlit here.

Where a sentence is for a page alone it is Markdown; the others are plain.
"""
