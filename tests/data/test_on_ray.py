"""The same answer from a cluster of two nodes as from one process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from firstlight.data.on_ray import on_ray
from firstlight.data.opening import opened
from firstlight.data.summary import TableLayout, in_this_process, layout_of
from firstlight.errors import UnreadableError, UsageError

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def _cluster() -> Iterator[None]:
    """Two nodes of one core each."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        yield
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.usefixtures("_cluster")
@pytest.mark.filterwarnings("ignore")  # of Ray and what it imports
def test_two_nodes_and_one_process_say_the_same(table: Any, folder: Path) -> None:
    Path("parts").mkdir()
    for place in range(4):
        pq.write_table(table[place * 250 : (place + 1) * 250], f"parts/{place}.parquet")
    source = opened(Path("parts"))
    layout = layout_of(source, table, {"target": "y"})
    here, there = in_this_process(source, layout), on_ray(source, layout)
    here.exact.settle()

    assert there.rows == here.rows == 1000
    assert there.exact.rows.tolist() == here.exact.rows.tolist()
    assert there.sample.drawn()[0]["a"].to_pylist() == here.sample.drawn()[0]["a"].to_pylist()
    assert there.tallies["a"].mean == pytest.approx(here.tallies["a"].mean)

    damaged = Path("parts/3.parquet")
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(UnreadableError, match="no whole Parquet file"):
        on_ray(source, layout)


def test_only_files_that_tell_their_rows_can_be_shared_out(folder: Path) -> None:
    Path("t.csv").write_text("a\n1\n", encoding="utf-8")

    with pytest.raises(UsageError, match="reads Parquet"):
        on_ray(opened(Path("t.csv")), TableLayout())
