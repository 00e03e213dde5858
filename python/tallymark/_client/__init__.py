"""The client: the programs of Tallymark, the server, its protocol, and the engine."""
