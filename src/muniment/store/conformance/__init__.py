"""What every store must do, as tests. A back end runs them by naming how it is opened.

A test module of a back end imports the classes of this package and provides a fixture ``bench`` that returns a
:class:`~muniment.store.conformance.bench.Bench`; pytest collects the classes there. Needs pytest and hypothesis.
"""
