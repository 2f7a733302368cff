"""`encode` with given columns: other settings than theirs are an error."""

import pytest

from egonet import encode, named
from egonet.errors import InputError


@pytest.mark.parametrize("given", [{"max_degree": 3}, {"degrees": "layered"}, {"radius": 2}])
def test_a_vocabulary_and_other_settings_are_an_error(given):
    vocabulary = encode(named.path("abc"), 1).vocabulary

    with pytest.raises(InputError, match=rf"the vocabulary was learned (with|at) {next(iter(given))}"):
        encode(named.path("abc"), vocabulary=vocabulary, **given)
