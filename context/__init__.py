"""What one run is given: the collaborators behind Protocols, and the plain values that pass between them and the nodes.

A node sees these through `runtime.context` and never knows which vendor stands behind one.
"""
