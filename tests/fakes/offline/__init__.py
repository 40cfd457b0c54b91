"""A folder for PYTHONPATH: Python runs `sitecustomize` before anything else."""
