import { posix } from 'node:path';
import { escapePath } from '../targets/escape-path.ts';
import type { Facts } from './content-reader.ts';

interface FileFrame extends Pick<Facts, 'longestFence' | 'hasReturn'> {
  readonly path: string;
  /** Undefined if the header does not name it. */
  readonly encoding: string | undefined;
  readonly endsInNewline: boolean;
}

/** A part of the document that is not a file: the tree, the summary, the list of what was omitted, a diff. */
export interface DocumentSection {
  readonly title: string;
  readonly language?: string;
  readonly text: string;
}

interface DocumentPosition {
  readonly pieces: number;
  readonly files: number;
}

/** The form of a document: sections, then files. What the functions return is joined without anything between. */
export interface Format {
  begin(): string;
  section(section: DocumentSection, at: DocumentPosition): string;
  openFile(frame: Omit<FileFrame, 'endsInNewline'>, at: DocumentPosition): string;
  closeFile(frame: FileFrame): string;
  /** Makes a function that escapes content, chunk by chunk. Undefined leaves content as it is. */
  escaper?(hasReturn: boolean): (text: string, isLast: boolean) => string;
  end(fileCount: number): string;
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
  openFile: ({ path, encoding, longestFence }, { pieces }) =>
    `${pieces > 0 ? '\n\n' : ''}${fence(longestFence)}path=${escapePath(path)}${encoding ? ` encoding=${encoding}` : ''}\n`,
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
  sol: 'solidity',
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
  openFile: ({ path, encoding, longestFence }, { pieces }) =>
    `${pieces > 0 ? '\n' : ''}## ${escapePath(path)}${encoding ? ` (${encoding})` : ''}\n\n${fence(longestFence)}${languageOf(path)}\n`,
  closeFile: ({ longestFence, endsInNewline }) =>
    `${endsInNewline ? '' : '\n'}${fence(longestFence)}\n${endsInNewline ? '' : `${NO_NEWLINE}\n`}`,
  end: () => '',
};

/** Characters that XML 1.0 cannot hold, in any form. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes text for elements and attributes. What XML cannot hold becomes an element, `<char code="1b"/>`. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (char) => ENTITIES[char] ?? char).replace(ILLEGAL, toElement);
}

function escapeAttribute(text: string): string {
  return escapeXml(text.replace(ILLEGAL, '\ufffd'));
}

function toElement(char: string): string {
  return `<char code="${char.codePointAt(0)?.toString(16)}"/>`;
}

/** Makes a function that escapes text for CDATA, chunk by chunk. It splits the end mark over two sections. */
function createCdataEscaper(): (chunk: string, isLast: boolean) => string {
  let kept = '';
  return (chunk, isLast) => {
    const text = kept + chunk;
    const end = isLast ? text.length : text.length - (/\]{1,2}$/.exec(text)?.[0].length ?? 0);
    kept = text.slice(end);
    return text
      .slice(0, end)
      .replaceAll(']]>', ']]]]><![CDATA[>')
      .replace(ILLEGAL, (char) => `]]>${toElement(char)}<![CDATA[`);
  };
}

/** CDATA cannot hold carriage returns, which are written as references. */
const xml: Format = {
  begin: () => '<documents>\n',
  section: ({ title, text }) => `<${title}>\n${escapeXml(text)}\n</${title}>\n`,
  openFile: ({ path, encoding, hasReturn }) =>
    `<file path="${escapeAttribute(escapePath(path))}"${encoding ? ` encoding="${encoding}"` : ''}>${hasReturn ? '' : '<![CDATA['}`,
  closeFile: ({ hasReturn }) => (hasReturn ? '</file>\n' : ']]></file>\n'),
  escaper: (hasReturn) => (hasReturn ? escapeXml : createCdataEscaper()),
  end: () => '</documents>\n',
};

const json: Format = {
  begin: () => '{',
  section: ({ title, text }) => `${JSON.stringify(title)}:${JSON.stringify(text)},`,
  openFile: ({ path, encoding }, { files }) =>
    `${files > 0 ? ',\n' : '"files":[\n'}{"path":${JSON.stringify(path)},${encoding ? `"encoding":"${encoding}",` : ''}"content":"`,
  closeFile: () => '"}',
  escaper: () => (text) => JSON.stringify(text).slice(1, -1),
  end: (fileCount) => (fileCount > 0 ? '\n]}\n' : '"files":[]}\n'),
};

/** The forms of a document, by the names that a caller writes. */
export const DOCUMENT_FORMATS = { fences, xml, markdown, json };
export type FormatName = keyof typeof DOCUMENT_FORMATS;
