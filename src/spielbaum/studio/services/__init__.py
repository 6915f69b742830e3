"""What the studio does for its pages, without the web."""
