import torch

from firstlight.observe.inside import reading


def test_a_fingerprint_is_as_long_for_thousands_of_tensors_as_for_one() -> None:
    many = list(torch.randn(3000, 4))

    assert len(reading.fingerprint(many)) == len(reading.fingerprint(many[:1]))
    assert reading.fingerprint(many) == reading.fingerprint([tensor.clone() for tensor in many])
    assert reading.fingerprint(many) != reading.fingerprint([*many[:-1], many[-1] + 1])
    assert reading.fingerprint([torch.empty(0)]) == ""
