#!/usr/bin/env bash
# Lists, adds and removes worktrees of git below .worktrees.
set -uo pipefail

readonly DIRECTORY=.worktrees

# The values hold no character that JSON escapes (see the patterns of tool.md), and in the other texts of the input each
# quote is escaped. So a member that matches here is the member itself.
field() {
  [[ $input =~ \"$1\"[[:space:]]*:[[:space:]]*\"([A-Za-z0-9._/~^-]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}"
}

quote() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\r'/\\r}
  text=${text//$'\t'/\\t}
  # No other control character may stand in JSON.
  printf '"%s"' "${text//[$'\x01'-$'\x1f']/?}"
}

fail() {
  printf '{"error":%s}' "$(quote "$1")"
  exit 0
}

# Hooks and monitors that the repository names are programs; they are not run.
safe_git() {
  git -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"
}

attempt() {
  local output
  output=$(safe_git "$@" 2>&1) || fail "$output"
}

add() {
  local branch=${branch:-$name}
  if [[ -L $DIRECTORY ]]; then fail "$DIRECTORY is a link"; fi
  exclude
  if safe_git show-ref --verify --quiet "refs/heads/$branch"; then
    attempt worktree add -- "$DIRECTORY/$name" "$branch"
  else
    attempt worktree add -b "$branch" -- "$DIRECTORY/$name" "${from:-HEAD}"
  fi
}

# Keeps the worktrees out of the status of the repository.
exclude() {
  local file
  file=$(safe_git rev-parse --git-path info/exclude) || fail 'this is not a repository of git'
  if [[ -L $file ]]; then fail "$file is a link"; fi
  mkdir -p "$(dirname "$file")" || fail "the directory of $file cannot be made"
  grep -qsxF "/$DIRECTORY/" "$file" || printf '/%s/\n' "$DIRECTORY" >>"$file" || fail "$file cannot be written"
}

list() {
  local key value path='' commit='' branch='' items=() rows
  while IFS= read -r -d '' line; do
    key=${line%% *}
    value=${line#* }
    case $key in
      worktree) path=$value ;;
      HEAD) commit=${value:0:10} ;;
      branch) branch=${value#refs/heads/} ;;
      '')
        items+=("{\"path\":$(quote "$path"),\"branch\":$(quote "$branch"),\"commit\":\"$commit\"}")
        branch=''
        ;;
    esac
  done < <(safe_git worktree list --porcelain -z)
  local IFS=,
  rows="${items[*]}"
  printf '{"worktrees":[%s],"_visualization":{"type":"table","columns":[{"key":"path","label":"Directory"},' "$rows"
  printf '{"key":"branch","label":"Branch"},{"key":"commit","label":"Commit"}],"rows":[%s]}}' "$rows"
}

input=$(cat)
action=$(field action)
name=$(field name)
branch=$(field branch)
from=$(field from)

safe_git rev-parse --git-dir >/dev/null 2>&1 || fail 'this is not a repository of git'
if [[ $action != list && -z $name ]]; then fail 'name is missing'; fi
case $action in
  add) add ;;
  remove) attempt worktree remove --force -- "$DIRECTORY/$name" ;;
esac
list
