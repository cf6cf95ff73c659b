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
