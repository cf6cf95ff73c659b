import TABLE from './config-files.table';

/** Files at the top of a project that define how it is built, checked, run or installed. */
const NAMES = new Set(TABLE.trim().split(/\s+/));

/** One expression for all patterns: compiling each of them takes longer than matching the names of a project. */
const PATTERN = new RegExp(
  [
    /^(?:ts|js)config(?:\.[\w-]+)*\.json$/,
    /^[\w-]+(?:\.[\w-]+)?\.config\.(?:[cm]?[jt]s|json|ya?ml|toml)$/,
    /^[\w-]+\.conf\.(?:[cm]?[jt]s|json)$/,
    /^(?:gulp|Grunt|Gulp|grunt)file\.(?:[cm]?[jt]s|coffee)$/,
    /^\.[a-z][\w-]*rc(?:\.(?:[cm]?[jt]s|jsonc?|ya?ml|toml))?$/,
    /^(?:vitest|jest)\.workspace\.(?:[cm]?[jt]s|json)$/,
    /^gatsby-(?:config|node|browser|ssr)\.[cm]?[jt]sx?$/,
    /^\.golangci\.(?:ya?ml|toml|json)$/,
    /^\.markdownlint(?:-cli2)?\.(?:jsonc?|ya?ml)$/,
    /^(?:[\w-]+[-_.])?requirements(?:[-_.][\w.-]*)?\.(?:txt|in|lock)$/,
    /^(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml$/,
    /^(?:[\w-]+\.)?Dockerfile(?:\.[\w-]+)?$/,
    /^[\w. -]+\.(?:csproj|fsproj|vbproj|vcxproj|sln|slnx|slnf|runsettings|gemspec|podspec|cabal|opam|nimble|rockspec|Rproj)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Where configuration files may be below the top: files of a directory, and directories by name or (`others`) any. */
export interface NestedFiles {
  readonly files?: RegExp;
  readonly directories?: ReadonlyMap<string, NestedFiles>;
  readonly others?: NestedFiles;
}

const DEVCONTAINER =
  /^(?:devcontainer(?:-lock)?\.json|(?:docker-)?compose[\w.-]*\.ya?ml|(?:[\w-]+\.)?Dockerfile(?:\.[\w-]+)?)$/;

export const NESTED: NestedFiles = {
  directories: new Map<string, NestedFiles>([
    ['.cargo', { files: /^config(?:\.toml)?$/ }],
    ['.circleci', { files: /^config\.ya?ml$/ }],
    ['.config', { files: /^(?:nextest\.toml|mise\.toml|dotnet-tools\.json)$/ }],
    ['.devcontainer', { files: DEVCONTAINER, others: { files: DEVCONTAINER } }],
    ['.github', { directories: new Map([['workflows', { files: /^[\w.-]+\.ya?ml$/ }]]) }],
    [
      '.mvn',
      {
        files: /^(?:maven|jvm)\.config$/,
        directories: new Map([['wrapper', { files: /^maven-wrapper\.properties$/ }]]),
      },
    ],
    [
      'gradle',
      {
        files: /^libs\.versions\.toml$/,
        directories: new Map([['wrapper', { files: /^gradle-wrapper\.properties$/ }]]),
      },
    ],
    ['requirements', { files: /^[\w.-]+\.(?:txt|in)$/ }],
  ]),
};

const MAX_NAME = 200;

/** Reports whether a file of this name configures something. */
export function isConfigFile(name: string): boolean {
  return NAMES.has(name) || (name.length <= MAX_NAME && PATTERN.test(name));
}
