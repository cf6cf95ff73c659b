/** Names of scripts and targets that check or build. A name with a part such as `fix` or `deploy` does more. */
export const CHECKING =
  /^(?!.*(fix|write|update|upgrade|deploy|publish|release|clean|push|reset|drop|seed|migrat|install|watch|upload|sign))(tests?|lint|typecheck|type-?check|types|tsc|checks?|build|compile|verify|validate|units?|integration|coverage|cov|bench|benchmarks?|specs?|e2e|smoke|vet|format[:-]check|fmt[:-]check|prettier[:-]check|check-format|check-types|docs?|help|fast-?test|mypy|pylint|eslint|ruff|flake8|pytest|jest|vitest)([:._-][\w.:-]*)?$/;

/** Commands that run a tool of the project. The tool is judged. */
export const RUNNERS: readonly string[] = [
  'npx',
  'npx --no-install',
  'npx --no',
  'bunx',
  'npm exec',
  'npm exec --',
  'pnpm exec',
  'pnpm',
  'yarn',
  'yarn exec',
  'yarn run',
  'bun x',
  'uv run',
  'poetry run',
  'pipenv run',
  'pdm run',
  'hatch run',
  'rye run',
  'pixi run',
  'bundle exec',
  'python -m',
  'mise exec --',
];

/** Commands that print settings for a shell to run, as their manuals say to use them. */
export const INITIALIZERS: RegExp =
  /^([/~$][\w./]*\/)?(ssh-agent|gpg-agent|dircolors|keychain|thefuck|(py|rb|nod|j|go)env (virtualenv-)?init|direnv (hook|export)|brew shellenv|(fnm|opam) env|(zoxide|starship|atuin|mcfly) init|(mise|rtx) activate|conda shell\.\w+|docker-machine env|minikube docker-env|(kubectl|helm|gh|docker|npm|pip|deno|rustup|poetry|pnpm|minikube|kind|k3d|oc|istioctl|just) completions?|uv generate-shell-completion|register-python-argcomplete)( [\w.=-]*)*$/;
