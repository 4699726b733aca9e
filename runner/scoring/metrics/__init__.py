"""The metrics that come with the program, a file each, over integer arrays: one row a query, one column a rank.

Whatever subclass of `Metric` a file of this folder defines is known to every command by its name.
Definitions follow trec_eval where it has them: gain = grade, discount 1 / log2(rank + 1). R are the relevant documents,
passages or spans; the first k are documents or passages. Spans that one passage completes take successive places in
`ndcg`, `map`, `rbp` and `err`, so that none can exceed 1.
"""
