"""The table, one module per family of opcodes."""
