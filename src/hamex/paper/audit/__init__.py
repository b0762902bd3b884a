"""Every numbered equation, table and spoken claim of the paper, compared with what the engine derives."""
