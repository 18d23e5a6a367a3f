"""Every exception of the tree is a PtxtoolError with an exit code."""

import inspect

from ptxtool.core import errors


def test_the_tree_has_one_root_and_known_exit_codes():
    classes = [item for _, item in inspect.getmembers(errors, inspect.isclass)]
    raised = [item for item in classes if issubclass(item, Exception)]
    assert all(issubclass(item, errors.PtxtoolError) for item in raised)
    assert {item.exit_code for item in raised} == {2, 3}
    assert errors.DeviceUnavailable.exit_code == 3
