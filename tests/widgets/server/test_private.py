"""What the server rests on in Jupyter and is private there, or is no promise: a newer version may be without it."""

import ast
import inspect
from pathlib import Path

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from voila.app import Voila

from widgets.server import jupyter_kernels, server

PRIVATE = {  # by where it is
    AsyncMappingKernelManager: {"_kernels", "_pending_kernels", "_kernel_connections"},
    ZMQChannelsWebsocketConnection: {"_open_sockets"},
}
REPLACED = {  # methods that ours take the place of: if one is gone, ours is never called
    jupyter_kernels.Kernels: AsyncMappingKernelManager,
    jupyter_kernels.Messages: ZMQChannelsWebsocketConnection,
    server.Server: Voila,
}
OWN = {"connects", "full", "welcome", "headers"}
FOLDER = Path(server.__file__).parent


@pytest.mark.parametrize("kind", PRIVATE, ids=lambda kind: kind.__name__)
def test_private_attributes_are_still_there(kind):
    made = kind() if kind is AsyncMappingKernelManager else kind
    gone = sorted(name for name in PRIVATE[kind] if not hasattr(made, name))
    assert not gone, f"{kind.__name__} has no longer {', '.join(gone)}; cap jupyter_server below this version"


@pytest.mark.parametrize("kind", REPLACED, ids=lambda kind: kind.__name__)
def test_methods_that_are_replaced_are_still_there(kind):
    ours = {name for name, value in vars(kind).items() if inspect.isfunction(value) and not name.startswith("__")}
    gone = sorted(name for name in ours - OWN if not hasattr(REPLACED[kind], name))
    assert not gone, f"{REPLACED[kind].__name__} has no longer {', '.join(gone)}"


def test_no_other_private_attribute_is_used():
    trees = [ast.parse(path.read_text("utf-8")) for path in FOLDER.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    used = {one.attr for one in nodes if isinstance(one, ast.Attribute) and one.attr[0] == "_" and one.attr[1] != "_"}
    made = {one.name for one in nodes if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
    assert used - made == set.union(*PRIVATE.values())
    modules = {one.module for one in nodes if isinstance(one, ast.ImportFrom) and one.module}
    assert not [name for name in modules if any(part[0] == "_" for part in name.split(".")) and name != "__future__"]
