/**
 * The variables of the process that a server gets. Tokens are not among them, nor variables that make a program load
 * other code.
 */
export const SERVER_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|GOPATH|GOROOT|GOCACHE|GOMODCACHE|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|JAVA_HOME|DOTNET_ROOT|GEM_HOME|GEM_PATH|OPAM\w+|VIRTUAL_ENV|SYSTEMROOT|APPDATA|LOCALAPPDATA|USERPROFILE)$/;
