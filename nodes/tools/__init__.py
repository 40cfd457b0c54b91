"""The agent's tools, one file each. Access and the caller's filter hold here, whatever a model asks for."""
