"""Files of other kinds than text to Markdown, in a child process that their bombs may take down."""
