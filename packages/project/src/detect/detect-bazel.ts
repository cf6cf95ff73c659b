import type { DetectFunction } from './finding.ts';

/** Rule sets in MODULE.bazel and WORKSPACE, and the languages that they are for. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\brules_go\b|io_bazel_rules_go/, 'Go'],
  [/\brules_(?:nodejs|js)\b/, 'JavaScript'],
  [/\brules_ts\b/, 'TypeScript'],
  [/\brules_rust\b/, 'Rust'],
  [/\brules_python\b/, 'Python'],
  [/\brules_(?:java|jvm_external)\b/, 'Java'],
  [/\brules_kotlin\b/, 'Kotlin'],
  [/\brules_scala\b/, 'Scala'],
  [/\brules_swift\b/, 'Swift'],
  [/\brules_cc\b|\bcc_(?:library|binary)\b/, 'C++'],
];
const FILES = ['MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel', 'BUILD', 'BUILD.bazel'];

/** Detects Bazel. Its commands come after those of a toolchain that has files of its own beside it. */
export const detectBazel: DetectFunction = async (directory) => {
  const text = FILES.map((name) => directory.text(name) ?? '').join('\n');
  return {
    languages: RULES.filter(([pattern]) => pattern.test(text)).map(([, language]) => language),
    managers: ['bazel'],
    build: 'bazel build //...',
    test: 'bazel test //...',
    name: /\bmodule\(\s{0,100}name\s{0,9}=\s{0,9}"([^"\n]{1,100})"/.exec(text)?.[1],
  };
};
