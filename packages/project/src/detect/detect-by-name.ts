import type { Detector, Finding } from './finding.ts';

/** Toolchains for which the name of a file is enough. */
export const TOOLCHAINS: readonly Detector[] = [
  byName(['build.sbt'], toolchain('Scala', ['sbt'], ['sbt compile', 'sbt test'])),
  byName(['rebar.config'], toolchain('Erlang', ['rebar3'], ['rebar3 compile', 'rebar3 eunit'])),
  byName(['gleam.toml'], toolchain('Gleam', ['gleam'], ['gleam build', 'gleam test'])),
  byName(['stack.yaml'], toolchain('Haskell', ['stack'], ['stack build', 'stack test'])),
  byName(['cabal.project', '*.cabal'], toolchain('Haskell', ['cabal'], ['cabal build', 'cabal test'])),
  byName(['build.zig'], toolchain('Zig', [], ['zig build', 'zig build test'])),
  byName(['dune-project'], toolchain('OCaml', [], ['dune build', 'dune test'])),
];

/** Lock files that show a language without its manifest. The detectors of the manifests read the other lock files. */
export const LOCKS: readonly Detector[] = [
  byName(['go.sum'], { languages: ['Go'], managers: ['go'] }),
  byName(['Cargo.lock'], { languages: ['Rust'], managers: ['cargo'] }),
  byName(['composer.lock'], { languages: ['PHP'], managers: ['composer'] }),
  byName(['Gemfile.lock', 'gems.locked'], { languages: ['Ruby'], managers: ['bundler'] }),
  byName(['mix.lock'], { languages: ['Elixir'], managers: ['mix'] }),
  byName(['rebar.lock'], { languages: ['Erlang'], managers: ['rebar3'] }),
  byName(['Package.resolved'], { languages: ['Swift'], managers: ['swift'] }),
  byName(['pubspec.lock'], { languages: ['Dart'], managers: ['pub'] }),
  byName(['stack.yaml.lock'], { languages: ['Haskell'], managers: ['stack'] }),
];

function byName(files: readonly string[], finding: Finding): Detector {
  return { files, load: async () => async () => finding };
}

function toolchain(language: string, managers: readonly string[], [build, test]: readonly [string, string]): Finding {
  return { languages: [language], managers, build, test };
}
