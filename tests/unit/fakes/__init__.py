"""The fakes are tested too: a fake that cannot fail proves nothing."""
