"""A page of Voila may have many visitors at once; a notebook has one."""

from widgets.base.host import under_voila


def test_voila_says_so_in_its_kernels(monkeypatch):
    for software, found in (("voila/0.5", True), ("jupyter", False)):
        monkeypatch.setenv("SERVER_SOFTWARE", software)
        assert under_voila() is found
    monkeypatch.delenv("SERVER_SOFTWARE")
    monkeypatch.delenv("VOILA_APP_PORT", raising=False)
    assert not under_voila()


def test_a_kernel_that_stood_ready_before_its_page_is_one_of_voilas(monkeypatch):
    monkeypatch.delenv("SERVER_SOFTWARE", raising=False)
    monkeypatch.setenv("VOILA_APP_PORT", "8866")
    assert under_voila()
