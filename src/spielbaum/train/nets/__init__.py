"""Neural networks: how they are described, trained (PyTorch), kept (ONNX) and asked.

`towers`, `onnx_export` and `checkpoints` need PyTorch and are for training; `onnx_file` and
`evaluator` are for playing and never import it. What networks are is told in ``docs/networks.md``.
"""
