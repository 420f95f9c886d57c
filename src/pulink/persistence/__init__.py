"""Model folders and checkpoints; nothing that is read is believed."""
