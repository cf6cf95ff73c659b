import { posix } from 'node:path';
import type { ProjectDirectory } from '../files/project-directory.ts';
import type { DetectFunction, Finding } from './finding.ts';

const LANGUAGES: Readonly<Record<string, string>> = { cs: 'C#', fs: 'F#', vb: 'Visual Basic' };
const PROJECT = /\.(cs|fs|vb)proj$/;
/** The most project files that are read. */
const MAX_PROJECTS = 20;
const SOLUTION = /\.slnx?$/;
/** A project such as `"src\App\App.csproj"`: between quotes in a .sln, an attribute in a .slnx. */
const SOLUTION_PROJECT = /"([^"\n]{1,300}\.(?:cs|fs|vb)proj)"/g;
const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['ASP.NET Core', /\bMicrosoft\.NET\.Sdk\.Web\b|\bMicrosoft\.AspNetCore\.App\b/],
  ['Blazor', /\bMicrosoft\.NET\.Sdk\.BlazorWebAssembly\b/],
  ['MAUI', /<UseMaui>true</],
  ['WPF', /<UseWPF>true</],
  ['Windows Forms', /<UseWindowsForms>true</],
];

/** Detects .NET from solutions with their projects, and from single projects. */
export const detectDotnet: DetectFunction = async (directory) => {
  const projects = directory.names.filter((name) => PROJECT.test(name)).slice(0, MAX_PROJECTS);
  const solution = directory.names.find((name) => SOLUTION.test(name));
  const paths = solution === undefined ? [] : projectsOf(directory, solution);
  const languages = languagesOf([...projects, ...paths]);
  const text = projects.map((name) => directory.text(name) ?? '').join('\n');
  return {
    languages: languages.length === 0 ? ['C#'] : languages,
    frameworks: FRAMEWORKS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name),
    managers: ['nuget'],
    build: 'dotnet build',
    test: 'dotnet test',
    ...(solution !== undefined && membersOf(solution, paths)),
    name: projects[0]?.replace(PROJECT, ''),
  };
};

function projectsOf(directory: ProjectDirectory, solution: string): string[] {
  const text = directory.text(solution) ?? '';
  return [...text.matchAll(SOLUTION_PROJECT)].map(([, path = '']) => path.replaceAll('\\', '/'));
}

function membersOf(file: string, paths: readonly string[]): Finding {
  return { members: [{ patterns: paths.map((path) => posix.dirname(path)), file, arePaths: true }] };
}

function languagesOf(projects: readonly string[]): string[] {
  return projects.flatMap((path) => LANGUAGES[PROJECT.exec(path)?.[1] ?? ''] ?? []);
}
