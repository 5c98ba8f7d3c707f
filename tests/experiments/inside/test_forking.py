"""An interrupt at the moment of a fork reaches the original once the copy is known, and never the copy."""

import os
import signal
import threading

import pytest

from firstlight.experiments.inside.forking import fork

pytestmark = pytest.mark.usefixtures("interruptible")


@pytest.fixture
def interrupted_while_forking() -> None:
    """Python runs such a function around every fork, and drops what it raises."""
    pending = [True]

    def interrupt() -> None:
        if pending:
            pending.clear()
            signal.raise_signal(signal.SIGINT)

    os.register_at_fork(before=interrupt)


def test_the_interrupt_is_not_lost(interrupted_while_forking: None) -> None:
    copies: list[int] = []

    def act() -> None:
        if fork(copies.append) == 0:
            os._exit(7)

    with pytest.raises(KeyboardInterrupt):
        act()

    assert os.waitstatus_to_exitcode(os.waitpid(copies[0], 0)[1]) == 7
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_copy_can_be_interrupted_later() -> None:
    copies: list[int] = []
    if fork(copies.append) == 0:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            os._exit(7)
        os._exit(1)

    assert os.waitstatus_to_exitcode(os.waitpid(copies[0], 0)[1]) == 7


def test_a_second_thread_forks_as_before() -> None:
    ended: list[int] = []

    def act() -> None:
        pid = fork()
        if pid == 0:
            os._exit(7)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()

    assert ended == [7]
