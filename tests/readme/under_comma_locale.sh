#!/usr/bin/env bash
# Runs a command, and every server and client that it starts, where the decimal sign is a comma.
#
# usage: under_comma_locale.sh COMMAND...     prints "skipped: ..." where no such locale can be made
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >"$folder/log" 2>&1; then
  echo "skipped: localedef cannot make de_DE.UTF-8 (package locales): $(head -n 1 "$folder/log")"
  exit 0
fi
there=(env LOCPATH="$folder" LC_ALL=de_DE.UTF-8)
[ "$("${there[@]}" bash -c 'printf %.1f 0,5')" = "0,5" ] || { echo "the locale that was made has no decimal comma"; exit 1; }
"${there[@]}" "$@"
