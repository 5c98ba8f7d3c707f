"""Programs as they feed a model, healthy ones above all."""

import pytest
import torch

from firstlight.checks.data.split_overlap import CHECK
from firstlight.observe.inside.feed import Feed, named
from firstlight.records.feed import FeedSeen


def leaks(feed: Feed) -> bool:
    seen = FeedSeen(step=9, model=0, name="Net", site=None, eval_site=None, inputs=(), overlap=feed.overlap)
    return bool(list(CHECK.find(seen, CHECK.limits)))


def trained(rows: torch.Tensor) -> Feed:
    feed = Feed()
    for batch in rows[torch.randperm(len(rows))].split(32):
        feed.train({"x": batch})
    return feed


def evaluate(feed: Feed, *parts: torch.Tensor, size: int = 32) -> Feed:
    for part in parts:
        for batch in part.split(size):
            feed.evaluate({"x": batch})
    return feed


DATA = torch.randn(1000, 16, generator=torch.Generator().manual_seed(0))


def test_rows_on_both_sides_leak() -> None:
    assert leaks(evaluate(trained(DATA[:800]), DATA[700:][torch.randperm(300)]))
    assert leaks(evaluate(trained(DATA[:800]), DATA[700:], size=300))


def test_rows_made_a_little_noisy_before_the_split_leak() -> None:
    noisy = torch.cat([DATA, DATA + 0.01 * torch.randn(DATA.shape, generator=torch.Generator().manual_seed(1))])
    order = torch.randperm(2000, generator=torch.Generator().manual_seed(2))

    assert leaks(evaluate(trained(noisy[order[:1600]]), noisy[order[1600:]]))


def test_the_training_set_made_noisy_on_purpose_is_fine() -> None:
    noise = torch.randn(200, 16, generator=torch.Generator().manual_seed(1))

    assert not leaks(evaluate(trained(DATA[:800]), DATA[:200] + 0.01 * noise))


def test_a_clean_split_does_not() -> None:
    assert not leaks(evaluate(trained(DATA[:800]), DATA[800:]))


def test_watching_the_training_set_beside_the_other_is_fine() -> None:
    assert not leaks(evaluate(trained(DATA[:800]), DATA[:800], DATA[800:]))
    assert not leaks(evaluate(trained(DATA[:800]), DATA[:192], DATA[800:]))  # batches of either, never of both


def test_measuring_everything_at_once_is_fine() -> None:
    assert not leaks(evaluate(trained(DATA[:800]), DATA, size=1000))


def test_scoring_a_pool_before_training_on_it_is_fine() -> None:
    feed = trained(DATA[:100])
    evaluate(feed, DATA[100:])
    for batch in DATA[100:300].split(32):
        feed.train({"x": batch})

    assert not leaks(feed)


def test_repeats_within_the_training_set_are_fine() -> None:
    again = DATA[torch.randint(800, (2000,))]

    assert not leaks(evaluate(trained(again), DATA[800:]))


def test_few_combinations_coincide_by_nature() -> None:
    states = torch.randint(0, 3, (3000, 6)).float()
    codes = torch.eye(40)[torch.randint(40, (3000,))]
    scaled = (torch.randint(0, 2, (3000, 20)).float() - 0.5) * torch.rand(20)

    for data in (states, codes, scaled):
        assert not leaks(evaluate(trained(data[:2000]), data[2000:]))


def test_short_texts_in_long_padding_coincide_by_nature() -> None:
    short = torch.zeros(2000, 60, dtype=torch.long)
    short[:, :4] = torch.randint(1, 6, (2000, 4))

    assert not leaks(evaluate(trained(short[:1500]), short[1500:]))


def test_copies_of_texts_leak() -> None:
    texts = torch.randint(1, 500, (1000, 60))

    assert leaks(evaluate(trained(texts[:800]), texts[760:], size=240))


def test_the_training_set_again_does_not_stand_for_the_other_side() -> None:
    feed = evaluate(trained(DATA[:800]), DATA[:320], DATA[800:] * 255)
    (fed,) = feed.inputs()

    assert fed.evaluated is not None
    assert fed.evaluated.rows == 200
    assert 200 < fed.wider < 300


def test_targets_among_the_keywords_are_left_out() -> None:
    x, y = torch.zeros(3), torch.ones(3)

    assert named((x,), {"labels": y, "mask": y}).keys() == {"input 0", "mask"}


def test_examples_evaluated_beside_a_handful_trained_on_are_counted() -> None:
    """Also where examples hold too few values to be told from any other."""
    few = DATA[:, :3]
    feed = Feed()
    for _ in range(9):
        assert not feed.overlap.whole
        feed.train({"x": few[:12]})
    evaluate(feed, few[:400])

    assert (feed.overlap.trained, feed.overlap.whole, feed.overlap.evaluated) == (12, True, 388)


def test_both_sides_are_compared_place_by_place() -> None:
    feed = evaluate(trained(DATA[:800]), 4 * DATA[800:])
    (fed,) = feed.inputs()

    assert fed.prepared.even == 1.0
    assert 3 < fed.prepared.factor < 5


def test_a_text_that_is_written_place_by_place_is_not_evaluated() -> None:
    feed = evaluate(trained(DATA[:20]), DATA[100:300], size=1)

    assert feed.overlap.evaluated == 0
    assert evaluate(feed, DATA[100:300], size=4).overlap.evaluated == 200


@pytest.mark.parametrize(("size", "split", "compared"), [(1, False, False), (4, False, True), (1, True, True)])
def test_what_an_agent_sees_while_it_acts_is_no_other_split(size: int, split: bool, compared: bool) -> None:
    feed = Feed(split=split)
    feed.train({"x": DATA[:200]})
    evaluate(feed, DATA[300:340] / 100, size=size)
    (fed,) = feed.inputs()

    assert (fed.evaluated is not None) is compared


def test_a_part_that_shares_nothing_is_told_from_one_that_does() -> None:
    """As where the training text is measured beside the other."""
    feed = trained(DATA[:100])
    for _ in range(2):
        evaluate(feed, torch.cat((DATA[98:100], DATA[300:328])), size=10)

    assert (feed.overlap.shared, feed.overlap.apart) == (2, 20)


def test_boxes_given_with_the_images_in_training_alone_do_not_hide_images_that_come_again() -> None:
    images, boxes = torch.randn(64, 1, 8, 8), torch.rand(64, 4)
    feed = Feed()
    for part in range(4):
        rows = slice(16 * part, 16 * part + 16)
        feed.train({"input 0": images[rows], "input 1": boxes[rows]})
    feed.evaluate({"input 0": torch.cat([images[:8], torch.randn(8, 1, 8, 8)])})
    assert (feed.overlap.judged, feed.overlap.shared) == (16, 8)


def test_two_texts_of_the_same_length_are_one_example_together() -> None:
    query, document = torch.randint(0, 900, (32, 20)), torch.randint(0, 900, (32, 20))
    feed = Feed()
    feed.train({"input 0": query, "input 1": document})
    feed.evaluate({"input 0": query, "input 1": document.flip(0)})
    assert feed.overlap.shared == 0


def test_a_sparse_tensor_is_a_graph_and_no_example() -> None:
    x, graph = torch.ones(4, 2), torch.eye(4).to_sparse()

    assert named((x, graph), {"edges": graph}).keys() == {"input 0"}


def phrases(count: int) -> torch.Tensor:
    return torch.randint(1, 1000, (count, 16), generator=torch.Generator().manual_seed(0))


def loudness(feed: Feed) -> list[str]:
    seen = FeedSeen(step=9, model=0, name="Net", site=None, eval_site=None, inputs=(), overlap=feed.overlap)
    return [one.severity.value if one.severity else "" for one in CHECK.find(seen, CHECK.limits)]


def test_phrases_that_repeat_by_themselves_are_noted() -> None:
    many = phrases(2000)
    few = many[torch.randint(2000, (2000,), generator=torch.Generator().manual_seed(1))]

    assert loudness(evaluate(trained(few[:1600]), few[1600:])) == ["note"]
    assert loudness(evaluate(trained(many[:1600]), many[1400:], size=600)) == ["error"]
    assert 0.45 < trained(few[:1600]).doubled < 0.65
    assert trained(many[:1600]).doubled == 0.0


def test_rows_of_numbers_that_were_repeated_before_the_split_leak() -> None:
    twice = torch.cat([DATA, DATA[:500]])[torch.randperm(1500, generator=torch.Generator().manual_seed(0))]

    assert loudness(evaluate(trained(twice[:1200]), twice[1200:])) == ["error"]


def test_a_target_in_a_batch_that_is_given_as_a_whole_is_no_input() -> None:
    rows = torch.rand(4, 3)
    batch = {"pixels": rows, "labels": torch.arange(4), "more": (rows, rows)}

    assert list(named((batch,), {})) == ["pixels", "more 0", "more 1"]
    assert list(named((rows, batch), {"mask": rows, "target": rows})) == [
        *("input 0", "pixels", "more 0", "more 1", "mask"),
    ]
