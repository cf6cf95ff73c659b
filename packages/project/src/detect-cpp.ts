import type { Detect } from './finding.ts';

/** The arguments of `project(...)`, which name the languages. */
const PROJECT = /^[ \t]*project[ \t]*\(([^)]{0,1000})/im;
const HAS_TESTS = /^[ \t]*(?:enable_testing|include[ \t]*\([ \t]*CTest)\b/im;
const CMAKE_NAME = /^\s*"?(\w[\w.+-]*)/;

/** C and C++ with CMake. */
export const detectCmake: Detect = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = PROJECT.exec(text)?.[1] ?? '';
  const words = project.split(/\s+/).slice(1);
  return {
    languages: words.includes('C') ? ['C', ...(words.includes('CXX') ? ['C++'] : [])] : ['C++'],
    build: 'cmake -B build && cmake --build build',
    test: HAS_TESTS.test(text) ? 'ctest --test-dir build' : undefined,
    name: CMAKE_NAME.exec(project)?.[1],
  };
};

/** C and C++ with Meson. */
export const detectMeson: Detect = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = PROJECT.exec(text)?.[1] ?? '';
  return {
    languages: [project.includes("'c'") && !project.includes("'cpp'") ? 'C' : 'C++'],
    build: 'meson setup build && meson compile -C build',
    test: /^[ \t]*test[ \t]*\(/m.test(text) ? 'meson test -C build' : undefined,
  };
};
