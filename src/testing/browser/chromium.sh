#!/bin/sh
# Runs $TEST_CHROMIUM, and removes the directories that it used even when the process of the tests ends without closing it.
for argument; do
  case $argument in --user-data-dir=*) profile=${argument#*=} ;; esac
done
"$TEST_CHROMIUM" "$@"
code=$?
rm -rf "$profile" "$TEST_ARTIFACTS"
exit $code
