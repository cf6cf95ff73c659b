import type { CommandSpec, Flag, FlagTable } from './command-spec.ts';

/** The column at which the description of a flag or a command starts, and the one at which a line ends. */
const COLUMN = 22;
const WIDTH = 96;

export function flagRows(flags: FlagTable): string {
  return Object.entries(flags)
    .map(([name, flag]) => row(flagForms(name, flag), flag.about))
    .join('');
}

export function renderHelp(name: string, { usage, about, flags, commands = {} }: CommandSpec): string {
  const ways = usage.split('\n').map((way, i) => `${i === 0 ? 'usage:' : '      '} ${name} ${way}`.trimEnd());
  const rows = Object.entries(commands).map(([word, command]) => row(word, command.about));
  const parts = [
    `${ways.join('\n')}\n`,
    wrap(about, WIDTH)
      .map((line) => `${line}\n`)
      .join(''),
    flagRows(flags),
    rows.join(''),
  ];
  return parts.filter(Boolean).join('\n');
}

function flagForms(name: string, { short, value, optional }: Flag): string {
  const shown =
    value === undefined
      ? ''
      : optional === undefined
        ? ` ${value}`
        : optional === 'equals'
          ? `[=${value}]`
          : ` [${value}]`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${shown}`;
}

function row(name: string, about: string): string {
  const lines = wrap(about, WIDTH - COLUMN);
  const isShort = name.length < COLUMN - 3;
  const [first = '', ...rest] = isShort ? lines : ['', ...lines];
  const begin = `  ${name}`.padEnd(COLUMN - 1);
  return [`${begin} ${first}`, ...rest.map((line) => ' '.repeat(COLUMN) + line)]
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
