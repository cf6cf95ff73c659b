#!/usr/bin/env bash
# A person is asked before a worktree is removed.
set -euo pipefail

input=$(cat)
member() {
  [[ $input =~ \"$1\"[[:space:]]*:[[:space:]]*\"([A-Za-z0-9_-]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

action=$(member action) || action=unknown
name=$(member name) || name=unknown
if [[ $action == list || $action == add ]]; then
  printf '{"allowed":true,"requiresApproval":false,"permissionType":"worktree","permissionKey":"%s"}' "$action"
else
  printf '{"allowed":false,"requiresApproval":true,"permissionType":"worktree_remove","permissionKey":"%s",' "$name"
  printf '"message":"Remove the worktree %s, with all that is not committed there"}' "$name"
fi
