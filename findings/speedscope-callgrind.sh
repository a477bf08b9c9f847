#!/bin/bash
# speedscope 1.25.0 (npm), reading callgrind's format: calls that cost less than 0.01 % of the
# largest inclusive cost are left out, and what they cost is shown as their callers' self cost.
#
# The format has costs of lines and of calls; speedscope makes a tree of calls of it, and does not
# follow a call below that share. A caller's self cost is then what is left of its total, and not
# what the file says: of many small callees none is in the list, and their caller looks hot. The
# sums are right, so nothing seems to be missing. callgrind_annotate shows what is in the file, and
# speedscope itself shows all of the same functions when it is given its own format.
#
# Seen, self cost:
#   function          in the file   shown
#   main              1000          1900
#   big               998000        998000
#   tiny1 ... tiny10  90 each       not there
#   edge              100           100
# Fails (status 1) if that changes. Needs chromium and npm.
set -u
command -v chromium npm >/dev/null || { echo "chromium and npm are needed"; exit 2; }
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
npm install --silent --no-save --prefix . speedscope@1.25.0 >/dev/null 2>&1 ||
	{ echo "cannot install"; exit 2; }

python3 - <<'END'
import base64, json
names = ["edge"] + [f"tiny{i}" for i in range(1, 11)]
costs = {"big": 998000, "edge": 100, **{name: 90 for name in names[1:]}}
text = "version: 1\ncreator: by hand\nevents: Ir\npositions: line\n\n"
text += "fl=a.c\nfn=main\n1 1000\n"
text += "".join(f"cfn={name}\ncalls=1 10\n2 {cost}\n" for name, cost in costs.items())
text += "".join(f"\nfn={name}\n10 {cost}\n" for name, cost in costs.items())
content = json.dumps(base64.b64encode(text.encode()).decode())
open("load.js", "w").write(f'speedscope.loadFileFromBase64("a.callgrind", {content})')
END
page=node_modules/speedscope/dist/release/index.html
chromium --headless=new --no-sandbox --user-data-dir="$folder/user" --enable-unsafe-swiftshader \
	--allow-file-access-from-files --virtual-time-budget=10000 --window-size=1200,900 \
	--dump-dom "file://$folder/$page#localProfilePath=$folder/load.js&view=sandwich" \
	>page.html 2>/dev/null
python3 - <<'END' | tee seen
import html, re
for row in re.findall(r"<tr.*?</tr>", open("page.html").read(), re.S):
    cells = re.findall("<td.*?</td>", row, re.S)
    cells = [html.unescape(re.sub("<.*?>", "", cell, flags=re.S)).strip() for cell in cells]
    if len(cells) == 3:
        print(cells[2], cells[1].split()[0].replace(",", ""))
END
printf 'big 998000\nmain 1900\nedge 100\n' | cmp - seen
