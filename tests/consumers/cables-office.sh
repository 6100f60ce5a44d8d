#!/usr/bin/env bash
# LibreOffice opens the spreadsheet; its second sheet, converted to CSV, has the rows of cables.csv.
. "$(dirname "$0")/lib/common.bash" "$@"
need soffice python3

"$bin" plan "$src/examples/superpod.yaml" -o "$work/book" > "$work/plan.txt" 2> "$work/plan.log" || { cat "$work/plan.log" >&2; fail "clusterc plan"; }
# 44 comma, 34 quote, 76 UTF-8, 1 from the first line; -1: every sheet, each in a file of its own
(cd "$work" && soffice --headless -env:UserInstallation="file://$work/profile" --convert-to 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1' --outdir "$work/sheet" book/cabling.xlsx) > "$work/soffice.log" 2>&1 ||
  { cat "$work/soffice.log" >&2; fail "LibreOffice does not read cabling.xlsx"; }
python3 "$src/tests/consumers/lib/cables.py" --sheet "$work/sheet/cabling-Point to point.csv" "$work/book/cables.csv" || exit 1
