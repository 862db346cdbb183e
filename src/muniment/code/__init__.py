"""Code guard: names in source code that were replaced, and where they are still used.

What was replaced is a claim like any other (``deprecating``), or a line of ``.muniment/symbols.jsonl``
(``symbolsfile``). Looking for uses (``checking``) needs neither a store nor a network.
"""
