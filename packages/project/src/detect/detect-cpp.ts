import type { ProjectDirectory } from '../files/project-directory.ts';
import { type DetectFunction, isPlainName } from './finding.ts';

/** The arguments of `project(...)`, which name the languages. */
const PROJECT = /^[ \t]*project[ \t]*\(([^)]{0,1000})/im;
const HAS_TESTS = /^[ \t]*(?:enable_testing|include[ \t]*\([ \t]*CTest)\b/im;
const CMAKE_NAME = /^\s*"?(\w[\w.+-]*)/;

/** Detects C and C++ with CMake. */
export const detectCmake: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = PROJECT.exec(text)?.[1] ?? '';
  const words = project.split(/\s+/).slice(1);
  const presets = await presetCommands(directory);
  return {
    languages: words.includes('C') ? ['C', ...(words.includes('CXX') ? ['C++'] : [])] : ['C++'],
    build: presets.build ?? 'cmake -B build && cmake --build build',
    test: presets.test ?? (HAS_TESTS.test(text) ? `ctest --test-dir ${presets.directory ?? 'build'}` : undefined),
    name: CMAKE_NAME.exec(project)?.[1],
  };
};

/** Returns the commands of the first presets of CMakePresets.json that are not hidden. */
async function presetCommands(directory: ProjectDirectory) {
  const file = directory.find('CMakePresets.json', 'CMakeUserPresets.json');
  if (file === undefined) return {};
  const presets = await directory.jsonc(file);
  const first = (key: string) =>
    presets
      .tablesAmong(key)
      .find((preset) => !preset.is(true, 'hidden') && isPlainName(preset.stringIfAny('name') ?? ''));
  const configure = first('configurePresets');
  const name = configure?.stringIfAny('name');
  if (name === undefined) return {};
  const build = first('buildPresets')?.stringIfAny('name');
  const test = first('testPresets')?.stringIfAny('name');
  const binary = /^(?:\$\{sourceDir\}\/)?([\w./-]+)$/.exec(configure?.stringIfAny('binaryDir') ?? '')?.[1];
  const built = build === undefined ? `cmake --build ${binary ?? 'build'}` : `cmake --build --preset ${build}`;
  return {
    build: `cmake --preset ${name} && ${built}`,
    test: test === undefined ? undefined : `ctest --preset ${test}`,
    directory: binary,
  };
}

/** Detects C and C++ with Meson. */
export const detectMeson: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = PROJECT.exec(text)?.[1] ?? '';
  return {
    languages: [project.includes("'c'") && !project.includes("'cpp'") ? 'C' : 'C++'],
    build: 'meson setup build && meson compile -C build',
    test: /^[ \t]*test[ \t]*\(/m.test(text) ? 'meson test -C build' : undefined,
  };
};
