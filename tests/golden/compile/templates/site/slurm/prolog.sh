#!/bin/sh
# {{ as it is }}
exit 0
