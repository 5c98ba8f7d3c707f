"""The front end that the report and the dashboard share: plain modules and styles, read as they are written."""
