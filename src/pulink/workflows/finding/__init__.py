"""`find`, taken apart: what is asked, and what is made of the answer."""
