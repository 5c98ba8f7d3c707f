"""Tables of examples, read once from end to end: what is in them, and how rows, columns and splits relate.

opening, objects, images    what the user has -> a Source: parts that give batches of rows
summary                     one pass over a part; summaries of parts are merged, here or by Ray
columns, hashing, sampling  what the pass keeps: tallies, keys that tell copies, rows for everything else
relations, texts            summaries -> facts
statistics                  the pure functions behind them
schemas                     what good data were like, written down, and what later data break of it
judging                     facts -> checks -> report
"""
