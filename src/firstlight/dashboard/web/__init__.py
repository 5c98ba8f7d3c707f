"""Pages, scripts and styles of the dashboard, served as they are written: no build, no network."""
