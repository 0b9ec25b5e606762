"""The course's notebooks: run them, and check what they say."""
