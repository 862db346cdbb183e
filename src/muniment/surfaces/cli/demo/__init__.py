"""``muniment demo``: the story of a memory, told with real calls on a real store."""
