import { posix } from 'node:path';
import { showPath } from '../targets/show-path.ts';
import { CdataEscaper, escapeAttribute, escapeXml } from './escape-xml.ts';

export type FormatName = 'fences' | 'xml' | 'markdown' | 'json';

/** The facts about a file that a format needs. */
export interface FileFrame {
  readonly path: string;
  /** The longest run of backticks that begins a line of the content; 0 when there is none of three or more. */
  readonly longestFence: number;
  /** True if the content has carriage returns. */
  readonly hasReturn: boolean;
  readonly endsInNewline: boolean;
}

/** A part of the document that is not a file: the tree, the summary, the list of what was left out, a diff. */
export interface Section {
  readonly title: string;
  readonly language?: string;
  readonly text: string;
}

/** How much of the document comes before something. */
export interface Position {
  /** Sections and files. */
  readonly pieces: number;
  readonly files: number;
}

/** The form of a document: sections, then files. What the functions return is joined without anything between. */
export interface Format {
  begin(): string;
  section(section: Section, at: Position): string;
  openFile(frame: Omit<FileFrame, 'endsInNewline'>, at: Position): string;
  closeFile(frame: FileFrame): string;
  /** Makes a function that escapes content, chunk by chunk; undefined leaves content as it is. */
  escaper?(hasReturn: boolean): (text: string, isLast: boolean) => string;
  end(fileCount: number): string;
}

export function formatOf(name: FormatName): Format {
  switch (name) {
    case 'fences':
      return fences;
    case 'markdown':
      return markdown;
    case 'xml':
      return xml;
    case 'json':
      return json;
  }
}

function fence(longest: number): string {
  return longest === 0 ? '```' : '`'.repeat(Math.max(3, longest + 1));
}

function fenceOf(text: string): string {
  let longest = 0;
  for (const [, run = ''] of text.matchAll(/^[ \t]*(`{3,})/gm)) longest = Math.max(longest, run.length);
  return fence(longest);
}

/** The default format: two empty lines between files, and always a newline before the last fence. */
const fences: Format = {
  begin: () => '',
  section: ({ title, text }, { pieces }) => {
    const around = fenceOf(text);
    return `${pieces > 0 ? '\n\n' : ''}${around}${title}\n${text}\n${around}\n`;
  },
  openFile: ({ path, longestFence }, { pieces }) =>
    `${pieces > 0 ? '\n\n' : ''}${fence(longestFence)}path=${showPath(path)}\n`,
  closeFile: ({ longestFence }) => `\n${fence(longestFence)}\n`,
  end: () => '',
};

const LANGUAGES: Readonly<Record<string, string>> = {
  cjs: 'js',
  mjs: 'js',
  cts: 'ts',
  mts: 'ts',
  py: 'python',
  rs: 'rust',
  rb: 'ruby',
  yml: 'yaml',
  md: 'markdown',
  sh: 'bash',
  h: 'c',
  hpp: 'cpp',
  cc: 'cpp',
  kt: 'kotlin',
};

function languageOf(path: string): string {
  const extension = posix.extname(path).slice(1).toLowerCase();
  return LANGUAGES[extension] ?? (/^\w+$/.test(extension) ? extension : '');
}

/** The line after a fence that had to add a newline to the content. */
const NO_NEWLINE = '<!-- no newline at the end -->';

const markdown: Format = {
  begin: () => '',
  section: ({ title, language = '', text }, { pieces }) => {
    const around = fenceOf(text);
    return `${pieces > 0 ? '\n' : ''}## ${title}\n\n${around}${language}\n${text}\n${around}\n`;
  },
  openFile: ({ path, longestFence }, { pieces }) =>
    `${pieces > 0 ? '\n' : ''}## ${showPath(path)}\n\n${fence(longestFence)}${languageOf(path)}\n`,
  closeFile: ({ longestFence, endsInNewline }) =>
    `${endsInNewline ? '' : '\n'}${fence(longestFence)}\n${endsInNewline ? '' : `${NO_NEWLINE}\n`}`,
  end: () => '',
};

/** CDATA cannot hold carriage returns, which are written as references. */
const xml: Format = {
  begin: () => '<documents>\n',
  section: ({ title, text }) => `<${title}>\n${escapeXml(text)}\n</${title}>\n`,
  openFile: ({ path, hasReturn }) => `<file path="${escapeAttribute(showPath(path))}">${hasReturn ? '' : '<![CDATA['}`,
  closeFile: ({ hasReturn }) => (hasReturn ? '</file>\n' : ']]></file>\n'),
  escaper: (hasReturn) => {
    if (hasReturn) return escapeXml;
    const cdata = new CdataEscaper();
    return (text, isLast) => cdata.escape(text, isLast);
  },
  end: () => '</documents>\n',
};

const json: Format = {
  begin: () => '{',
  section: ({ title, text }) => `${JSON.stringify(title)}:${JSON.stringify(text)},`,
  openFile: ({ path }, { files }) => `${files > 0 ? ',\n' : '"files":[\n'}{"path":${JSON.stringify(path)},"content":"`,
  closeFile: () => '"}',
  escaper: () => (text) => JSON.stringify(text).slice(1, -1),
  end: (fileCount) => (fileCount > 0 ? '\n]}\n' : '"files":[]}\n'),
};
