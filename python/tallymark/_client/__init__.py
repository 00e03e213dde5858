"""The way to the programs of Tallymark: where they are, the server, its protocol, and the engine."""
