"""The SQLite store: one file, or RAM. See ``muniment.store.protocol`` for what a store is."""
