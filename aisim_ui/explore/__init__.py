"""What the Explore page is made of: what is looked at, the sweep behind it, and its pictures' tables."""
