"""A person is asked before a file is replaced."""

import json
import os
import sys

args = json.load(sys.stdin)
path = os.path.realpath(os.path.join(args.get("workspacePath") or ".", args.get("output", "")))
judgement = {"permissionType": "file_write", "permissionKey": path}
if args.get("overwrite") is True and os.path.lexists(path):
    judgement.update(allowed=False, requiresApproval=True, message=f"Replace the file {args.get('output')}")
else:
    judgement.update(allowed=True, requiresApproval=False)
print(json.dumps(judgement))
