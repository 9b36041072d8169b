"""Jobs: their routes, their events, and long polls for them."""
