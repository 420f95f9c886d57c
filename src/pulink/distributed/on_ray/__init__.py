"""A Ray cluster makes pieces: `executor` asks a process that runs `driver`, the only file that knows Ray."""
