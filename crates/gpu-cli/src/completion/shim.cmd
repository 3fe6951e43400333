@{program} __complete %* 2>NUL
