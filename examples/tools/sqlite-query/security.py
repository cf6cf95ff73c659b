"""Lets a call that only reads pass; a person is asked before a database is changed."""

import json
import os
import sys

args = json.load(sys.stdin)
path = os.path.realpath(os.path.join(args.get("workspacePath") or ".", args.get("path", "")))
judgement = {"permissionType": "database_write", "permissionKey": path}
if args.get("write") is True:
    message = f"Change the database {args.get('path')} with: {str(args.get('sql'))[:500]}"
    judgement.update(allowed=False, requiresApproval=True, message=message)
else:
    judgement.update(allowed=True, requiresApproval=False)
print(json.dumps(judgement))
