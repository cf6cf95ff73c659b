import type { DetectFunction, Finding } from './finding.ts';

/** Detects Elixir from mix.exs, with the apps of an umbrella. */
export const detectElixir: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const apps = /\bapps_path:[ \t]*"([^"\n]{1,300})"/.exec(text)?.[1];
  const isPhoenix = /:phoenix\b/.test(text);
  const commands = {
    build: 'mix compile',
    test: 'mix test',
    lint: directory.has('.credo.exs') || /:credo\b/.test(text) ? 'mix credo' : undefined,
  };
  return {
    languages: ['Elixir'],
    frameworks: isPhoenix ? ['Phoenix'] : [],
    managers: ['mix'],
    ...commands,
    // A package.json beside it is for the assets alone.
    ...(isPhoenix && { overrides: commands }),
    ...(apps !== undefined && { members: [{ patterns: [`${apps}/*`], file }] }),
    name: /\bapp:[ \t]*:(\w+)/.exec(text)?.[1],
  };
};

/** Detects Swift from Package.swift. */
export const detectSwift: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  return {
    languages: ['Swift'],
    frameworks: /\bgithub\.com\/vapor\/vapor\b/.test(text) ? ['Vapor'] : [],
    managers: ['swift'],
    build: 'swift build',
    test: 'swift test',
    lint: directory.has('.swiftlint.yml') ? 'swiftlint' : undefined,
    name: /\bPackage\(\s*name:[ \t]*"([^"\n]+)"/.exec(text)?.[1],
  };
};

/** Detects Dart and Flutter from pubspec.yaml, with the packages of a workspace. */
export const detectDart: DetectFunction = async (directory, { file }) => {
  const manifest = await directory.yaml(file);
  const dependencies = manifest.table('dependencies');
  const isFlutter = dependencies.tableIfAny('flutter').stringIfAny('sdk') === 'flutter';
  const finding: Finding = {
    languages: ['Dart'],
    managers: ['pub'],
    members: [
      { patterns: manifest.strings('workspace'), file },
      { patterns: (await directory.yaml('melos.yaml')).strings('packages'), file: 'melos.yaml' },
    ],
    name: manifest.stringIfAny('name'),
    description: manifest.stringIfAny('description'),
  };
  return isFlutter
    ? { ...finding, frameworks: ['Flutter'], build: 'flutter pub get', test: 'flutter test', lint: 'flutter analyze' }
    : { ...finding, build: 'dart pub get', test: 'dart test', lint: 'dart analyze' };
};
