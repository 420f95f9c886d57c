"""Links regressed on links, in closed form."""
