#!/bin/sh
exec {program} __complete "$@" 2>/dev/null
