import { posix } from 'node:path';
import type { DetectFunction } from './finding.ts';

/** A comment that is not closed extends to the end. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const MODULE = /<module>([^<]{1,300})<\/module>/g;
const ARTIFACT = /<artifactId>([^<]{1,200})<\/artifactId>/;
const INCLUDE = /^[ \t]*include\b/;
const QUOTED = /['"]:?([\w:./-]+)['"]/g;
const MAX_LINE = 2_000;
/** Frameworks by what a build file contains: a full name, or an alias of the version catalog. */
const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['Spring Boot', /org\.springframework\.boot|\bplugins\.spring\.?boot\b/i],
  ['Quarkus', /\bio\.quarkus\b|\bplugins\.quarkus\b/],
  ['Micronaut', /\bio\.micronaut\b|\bplugins\.micronaut\b/],
  ['Vert.x', /\bio\.vertx\b/],
  ['Dropwizard', /\bio\.dropwizard\b/],
  ['Ktor', /\bio\.ktor\b|\bplugins\.ktor\b/],
  ['Android', /\b(?:com|plugins)\.android\.(?:application|library)\b/],
];

const BUILDS = ['build.gradle.kts', 'build.gradle'];
const SETTINGS = ['settings.gradle.kts', 'settings.gradle'];

/** Detects Java and Kotlin with Maven from pom.xml, with the modules that it names. */
export const detectMaven: DetectFunction = async (directory, { file }) => {
  const text = (directory.text(file) ?? '').replace(COMMENT, '');
  const own = text.slice(text.indexOf('</parent>') + 1);
  const maven = directory.has('mvnw') ? './mvnw' : 'mvn';
  return {
    languages: [text.includes('kotlin-maven-plugin') ? 'Kotlin' : 'Java'],
    frameworks: frameworksIn(text),
    managers: ['maven'],
    build: `${maven} package`,
    test: `${maven} test`,
    members: [{ patterns: [...text.matchAll(MODULE)].map(([, path = '']) => moduleOf(path)), file, arePaths: true }],
    name: ARTIFACT.exec(own)?.[1]?.trim(),
  };
};

function moduleOf(written: string): string {
  const path = written.trim().replaceAll('\\', '/');
  return path.endsWith('.xml') ? posix.dirname(path) : path;
}

/** Detects Java and Kotlin with Gradle from its build file, with the projects that its settings include. */
export const detectGradle: DetectFunction = async (directory) => {
  const build = directory.find(...BUILDS);
  const settings = directory.find(...SETTINGS);
  const script = build === undefined ? '' : (directory.text(build) ?? '');
  const gradle = directory.has('gradlew') ? './gradlew' : 'gradle';
  return {
    languages: [/\bkotlin\b/.test(script) ? 'Kotlin' : 'Java'],
    frameworks: frameworksIn(script),
    managers: ['gradle'],
    build: `${gradle} build`,
    test: `${gradle} test`,
    ...(settings !== undefined && {
      members: [{ patterns: includedBy(directory.text(settings) ?? ''), file: settings, arePaths: true }],
    }),
  };
};

/** Returns the directories of `include("a", ":b:c")` and `include 'a'`. A line that ends with a comma continues. */
function includedBy(settings: string): string[] {
  const lines = settings.split(/\r?\n/).filter((line) => line.length <= MAX_LINE);
  let isInside = false;
  return lines.flatMap((line) => {
    if (!isInside && !INCLUDE.test(line)) return [];
    isInside = /[,(]$/.test(line.trimEnd());
    return [...line.matchAll(QUOTED)].map(([, path = '']) => path.replaceAll(':', '/'));
  });
}

function frameworksIn(text: string): string[] {
  return FRAMEWORKS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}
