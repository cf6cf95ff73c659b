import type { CommandSpec, FlagTable } from './command-spec.ts';
import { flagForms } from './help-text.ts';

/** Writes the manual page of a program, in the macros of man(7). */
export function renderManPage(program: string, spec: CommandSpec): string {
  return [
    '.\\" Written by `npm run generate` from the flags of the program.',
    `.TH ${roff(program.toUpperCase())} 1 "" "${roff(program)}"`,
    '.SH NAME',
    `${roff(program)} \\- ${roff(spec.about)}`,
    '.SH SYNOPSIS',
    ...synopsis(program, spec),
    ...(spec.text === undefined ? [] : ['.SH DESCRIPTION', ...paragraphs(spec.text)]),
    '.SH OPTIONS',
    ...options(spec.flags),
    ...(spec.commands === undefined ? [] : ['.SH COMMANDS', ...commands(program, spec)]),
    '',
  ].join('\n');
}

function synopsis(name: string, { usage }: CommandSpec): string[] {
  const ways = usage.split('\n').map((way) => `.B ${roff(name)}\n${text(way)}`);
  return ways.flatMap((way, i) => (i === 0 ? [way] : ['.br', way]));
}

function options(flags: FlagTable): string[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const { choices = [], about } = flag;
    const taken = choices.every((choice) => about.includes(choice)) ? '' : `: ${choices.join(', ')}`;
    return ['.TP', `.B ${roff(flagForms(name, flag))}`, text(about + taken)];
  });
}

function commands(name: string, spec: CommandSpec): string[] {
  return Object.entries(spec.commands ?? {}).flatMap(([word, command]) => {
    const path = `${name} ${word}`;
    return [
      `.SS "${roff(path)}"`,
      ...synopsis(path, command),
      '.PP',
      text(command.about),
      ...(command.text === undefined ? [] : paragraphs(command.text, true)),
      ...options(command.flags),
      ...commands(path, command),
    ];
  });
}

function paragraphs(source: string, isBelow = false): string[] {
  return source
    .trim()
    .split(/\n{2,}/)
    .flatMap((paragraph, i) => {
      const begin = i > 0 || isBelow ? ['.PP'] : [];
      if (!/^ {2}/.test(paragraph)) return [...begin, text(paragraph.replace(/\n */g, ' '))];
      return ['.PP', '.nf', '.RS', ...paragraph.split('\n').map((line) => text(line.trim())), '.RE', '.fi'];
    });
}

/** Writes a line of text: at its start, a dot and a quote would be taken for a request. */
function text(line: string): string {
  return roff(line).replace(/^[.']/, '\\&$&');
}

function roff(line: string): string {
  return line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
}
