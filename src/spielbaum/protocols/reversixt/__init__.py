"""ReversiXT over TCP: the messages of the course, a server, a client, and logs that replay."""
