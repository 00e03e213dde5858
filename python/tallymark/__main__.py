"""`python -m tallymark …` is `tally …`, where no script folder is on the path."""

import sys

from tallymark._client.program import main

sys.exit(main())
