import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Roots } from './roots.ts';

interface Prompt {
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required?: boolean }[];
  text(given: Readonly<Record<string, string>>): string;
}

const PROMPTS: Readonly<Record<string, Prompt>> = {
  review_changes: {
    title: 'Review changes',
    description: 'Review what has changed in the project since a commit or branch.',
    arguments: [{ name: 'base', description: 'Commit or branch to compare with (default: what is not committed)' }],
    text: ({ base }) => {
      const range = base === undefined ? 'HEAD' : `${quote(base)}...HEAD`;
      return [
        `Review the changes that \`git diff ${range}\` shows (run_shell), and files that are new.`,
        'Read the code around each change, and the callers of what changed, before you judge it.',
        'Report defects first: what is wrong, where (file and line), when it shows, and how to fix it. Then what is missing: tests, documentation, handling of errors. Skip matters of taste. Change nothing.',
      ].join('\n');
    },
  },
  explain_project: {
    title: 'Explain the project',
    description: 'Explain what the project does, how it is built, and where to start.',
    arguments: [{ name: 'focus', description: 'A part or a question to look at most' }],
    text: ({ focus }) =>
      [
        'Explain this project to a newcomer. Start with detect_project and list_dir, then read the README, the manifest and the entry points.',
        'Say what it is for, how it is laid out, how a request or a run goes through it, how to build and test it, and which files to read first. Name files by their paths. Say what you did not look at.',
        ...(focus === undefined ? [] : [`Look most at this: ${focus}`]),
      ].join('\n'),
  },
  safe_refactor: {
    title: 'Refactor safely',
    description: 'Change the structure of code in small steps that are checked and can be undone.',
    arguments: [{ name: 'goal', description: 'What to change, and where', required: true }],
    text: ({ goal }) =>
      [
        `Refactor without a change of behavior: ${goal}`,
        'First find all places that it touches (search_files), read them, and run the tests, to know what passes now. State the steps.',
        'Then change one thing at a time: preview with dry_run where many files change, edit, and run the tests after each step. If they fail and the reason is not clear, undo the step. End with what changed and what the tests say.',
      ].join('\n'),
  },
};

/** Returns the text about the server for the model of a host: its purpose, where paths start, and what the tools refuse. */
export function instructionsFor({ allowed, worktrees, rootOf }: Roots): string {
  const [first, ...others] = rootOf ? ['your workspace'] : allowed;
  const more = [...others, ...(worktrees ? ['the path of a git worktree of one of them'] : [])];
  const choice = more.length > 0 ? ` A call may choose another by \`root\`: ${more.join(', ')}.` : '';
  return [
    'Tools for the files of a project on this machine: read, search, list and compare them, edit and undo safely, run commands and background jobs, remember notes, describe the project.',
    `Paths are relative to the working directory, and confined to it: ${first}, or the part of it that the host has open.${choice}`,
    'Secrets such as .env and .git cannot be opened. An edit of a file that has changed since it was read is refused: read it again. A long answer ends with a line that says how to get the rest.',
  ].join('\n');
}

/** Registers the request handlers for prompts. */
export function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { title, description, arguments: args }]) => ({
      name,
      title,
      description,
      arguments: args.map((argument) => ({ ...argument })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
    if (prompt === undefined) throw invalid(`Unknown prompt: ${name.slice(0, 100)}`);
    const missing = prompt.arguments.find((argument) => argument.required && !given[argument.name]);
    if (missing) throw invalid(`The prompt ${name} needs the argument ${missing.name}`);
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
    };
  });
}

function quote(name: string): string {
  return /^[\w./~^@{}-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
