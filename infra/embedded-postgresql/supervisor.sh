#!/bin/sh
# Runs PostgreSQL while it has users: supervisor.sh LINK FOLDER COMMAND...
#
# Each user holds the write end of the FIFO "FOLDER/users", which the kernel closes however the user ends, and writes lines to it. At its end
# the server is stopped, and FOLDER and LINK are removed. Descriptor 3 is the lock of the data directory; the server inherits it. A signal that
# a terminal or a service manager sends to all processes must not take the database from a service that still drains.
trap '' HUP INT TERM
link=$1 folder=$2
shift 2
# An open for reading and writing waits for no writer.
exec 4<>"$folder/users" 5<"$folder/users" 4>&-
"$@" 5<&- &
server=$!

while :; do
  while read -r _ <&5; do
    kill -0 "$server" 2>/dev/null || exit 1
  done
  # A newcomer finds no FIFO from here on. One that opened it before has written a line, and is served.
  mv "$folder/users" "$folder/closing"
  read -r _ <&5 || break
  mv "$folder/closing" "$folder/users"
done

kill -INT "$server"
wait "$server"
rm -rf "$folder" "$link"
