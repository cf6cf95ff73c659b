/**
 * Caches of package managers and compilers below the home, which they check or can make again. Commands may write
 * there; a missing directory is skipped. Security: a directory is not in this list if it holds programs or start-up
 * files that somebody runs outside: `.cache` as a whole (corepack, pre-commit, browsers, the prompt of zsh),
 * `.deno/bin`, `.local/share/pnpm`, `.yarn/bin`, `.pub-cache/bin`, `.gradle/init.d`, `.sbt`, `.gem`, `.stack`,
 * `.terraform.d/plugin-cache`, `.npm/_npx`, the code of `torch/hub`, and the pickles of black and pylint.
 */
export const CACHES: readonly string[] = pathList(`
  go-build pip yarn pnpm bun composer typescript vite turbo webpack esbuild ccache sccache clangd gopls golangci-lint
  staticcheck mypy ruff zig jest eslint prettier bazel-disk coursier/v1 cabal/packages fontconfig matplotlib
  huggingface/hub pypoetry/cache pypoetry/artifacts node-gyp nix rebar3
`).map((name) => `.cache/${name}`);

/** The same, outside of `.cache`. */
export const OTHER_CACHES: readonly string[] = pathList(`
  .yarn/berry/cache .cargo/registry .cargo/git go/pkg .m2/repository .ivy2/cache .nuget/packages .composer/cache
  .bundle/cache .hex/packages .pub-cache/hosted .pub-cache/git .cabal/packages .julia/compiled .ccache .conan2/p
  .mypy_cache Library/Caches/pip Library/Caches/go-build Library/Caches/Yarn Library/Caches/deno Library/Caches/pnpm
`);

/**
 * Directories that a program writes as a whole and that also hold files which run later. For commands, each is replaced
 * by a private one, kept for the workspace, that holds the parts which may be shared.
 */
export const PRIVATE_DIRECTORIES: readonly { readonly path: string; readonly shared: readonly string[] }[] = [
  { path: '.npm', shared: ['_cacache'] },
  { path: '.gradle', shared: ['caches'] },
  { path: '.pnpm-store', shared: [] },
  { path: '.local/share/pnpm/store', shared: [] },
  { path: '.cache/uv', shared: [] },
  { path: '.cache/pdm', shared: [] },
  { path: '.cache/deno', shared: [] },
  { path: '.bun/install/cache', shared: [] },
];

/** Splits a list of paths that is written as words. */
export function pathList(text: string): string[] {
  return text.trim().split(/\s+/);
}
