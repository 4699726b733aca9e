"""What people call a run."""


def run_name(retriever: str, k: int | None, rerank_depth: object = None, variant: str = "") -> str:
    """The name of a run from its parts: `reranked k=5 pool=50 fusion.k=10`; with no k, that of all its cuts.

    rerank_depth: the option `pool`, None or "" where none is used. variant: the settings in which it differs from
    others of its sweep.
    """
    parts = (retriever, "" if k is None else f"k={k}", f"pool={rerank_depth}" if rerank_depth else "", variant)
    return " ".join(filter(None, parts))
