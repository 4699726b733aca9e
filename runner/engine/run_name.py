"""What people call a run."""


def run_name(retriever: str, k: int | None, pool: object = None, variant: str = "") -> str:
    """The name of a run from its parts: `reranked k=5 pool=50 fusion.k=10`; with no k, that of all its cuts.

    pool: None or "" where none is used. variant: the settings in which it differs from others of its sweep.
    """
    parts = (retriever, "" if k is None else f"k={k}", f"pool={pool}" if pool else "", variant)
    return " ".join(filter(None, parts))
